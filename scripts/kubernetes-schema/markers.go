package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
)

// The `+name=value` lines in the comments above types and fields: reflection does not see them.
type markers struct {
	packages map[string]map[string]map[string]string
}

func newMarkers() *markers {
	return &markers{packages: map[string]map[string]map[string]string{}}
}

func (m *markers) ofType(typ reflect.Type) map[string]string {
	return m.load(typ.PkgPath())[typ.Name()]
}

func (m *markers) ofField(typ reflect.Type, field string) map[string]string {
	return m.load(typ.PkgPath())[typ.Name()+"."+field]
}

func (m *markers) load(path string) map[string]map[string]string {
	if found, ok := m.packages[path]; ok {
		return found
	}
	found := map[string]map[string]string{}
	m.packages[path] = found
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		fail("cannot find the source of %s: %v", path, err)
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), "types*.go"))
	for _, file := range files {
		if strings.HasSuffix(file, "_generated.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			fail("%v", err)
		}
		for _, declaration := range parsed.Decls {
			if general, ok := declaration.(*ast.GenDecl); ok && general.Tok == token.TYPE {
				readTypes(general, found)
			}
		}
	}
	return found
}

func readTypes(declaration *ast.GenDecl, into map[string]map[string]string) {
	for _, spec := range declaration.Specs {
		typ := spec.(*ast.TypeSpec)
		into[typ.Name.Name] = readMarkers(declaration.Doc, typ.Doc)
		structure, ok := typ.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range structure.Fields.List {
			found := readMarkers(field.Doc)
			for _, name := range field.Names {
				into[typ.Name.Name+"."+name.Name] = found
			}
		}
	}
}

// A marker given more than once (listMapKey) is joined by commas.
func readMarkers(groups ...*ast.CommentGroup) map[string]string {
	found := map[string]string{}
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			line, marked := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), "+")
			if !marked {
				continue
			}
			name, value, _ := strings.Cut(line, "=")
			if earlier, again := found[name]; again && earlier != "" {
				value = earlier + "," + value
			}
			found[name] = value
		}
	}
	return found
}
