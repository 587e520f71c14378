//go:build !without_lab

package main

// What judges the lab's API server is of the newest Kubernetes only, and takes minutes to compile.
func init() {
	tables["newest"] = append(tables["newest"],
		table{"upstream_patches.json", patchTable},
		table{"upstream_columns.json", columnsTable},
		table{"upstream_definitions.json", definitionTable})
}
