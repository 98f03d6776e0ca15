// Package unnamed makes values whose types have no name. A published document nests structs of one use in the type of
// the document, so that its package exports few names. Such a struct can be read and filled field by field, but a
// composite literal would repeat all its fields and tags; these functions take the type from the place instead.
package unnamed

// List gives a list n elements, all zero, for the caller to fill. With n of 0 the list is [] in JSON, not null.
func List[T any](list *[]T, n int) []T {
	*list = make([]T, n)
	return *list
}

// Add appends a zero element to a list, and returns it for the caller to fill. The next Add may move it.
func Add[T any](list *[]T) *T {
	var zero T
	*list = append(*list, zero)
	return &(*list)[len(*list)-1]
}

// New sets a pointer to a zero value, and returns it for the caller to fill.
func New[T any](pointer **T) *T {
	*pointer = new(T)
	return *pointer
}
