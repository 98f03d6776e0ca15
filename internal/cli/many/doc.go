// Package many has the verbs of one switch answer for all switches of a fabric, and brings a change to them in waves.
package many
