package auditcode_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/auditcode"
)

// What a reader raises is explained by package audit.
func Example() {
	m := audit.Codes().About(auditcode.PoolMissing)
	fmt.Println(m.Code, m.Severity, m.Certain)
	// Output:
	// pool-missing error true
}
