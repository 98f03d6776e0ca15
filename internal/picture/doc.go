// Package picture draws the pictures of pages as SVG.
//
// A picture has no colours of its own. Its parts have classes, and [Style] says what they look like on a light
// ground, on a dark one and on paper. So one picture is right in all three, and a colour is defined in one place. The
// libraries for plots that the documents use write a colour into every part, which a page cannot change.
//
// A picture has a text alternative, its parts have names that a browser shows, and its numbers print alike on every
// machine. It is text inside a page ([Picture.SVG]), or a file of its own ([Picture.File]).
//
// A [Scale] maps values to places, and a [Chart] is a picture with two of them: axes with round values, areas, lines
// and points.
package picture
