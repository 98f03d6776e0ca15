package unit

import "encoding/json"

// MarshalJSON returns the quantity, or null if it is absent.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.given {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads what MarshalJSON returns.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	*o = Optional[T]{}
	if string(text) == "null" {
		return nil
	}
	o.given = true
	return json.Unmarshal(text, &o.value)
}
