package machine

// What tests look at, which are in a package of their own: the models of network
// interfaces, without which no machine can be read, import this one.
type Field = field

var (
	Decode     = decode
	FieldFor   = fieldFor
	Files      = files
	Position   = position
	SplitKey   = splitKey
	TableNames = tableNames
)

const MaxFile = maxFile

func Fields() []Field                         { return fields }
func (f Field) Key() string                   { return f.key }
func (f Field) IsOptional() bool              { return f.optional }
func (f Field) Belongs(m *Machine) bool       { return f.belongs(m) }
func (m *Machine) Find(key string) *Parameter { return m.find(key) }
func (p *Parameter) Origin() error            { return p.origin() }

// Places returns how many fields have the parameter, in Machine or sections of models.
func (f Field) Places() int { return max(1, len(f.places)) }

// Sections returns a section of each model.
func Sections() (all []Section) {
	for _, model := range models {
		all = append(all, model.Section())
	}
	return all
}

// Without returns a machine that does not state a parameter.
func (m *Machine) Without(key string) *Machine {
	less := *m
	less.parameters = nil
	for _, p := range m.parameters {
		if p.Key != key {
			less.parameters = append(less.parameters, p)
		}
	}
	return &less
}
