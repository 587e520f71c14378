// Empty: its being here lets functions of this package have no body (go:linkname).
