package abi

import "musubi/mpi/abi/standard"

// Naming is the functions that name the objects of a kind and tell their names, such as MPI_Win_set_name.
type Naming struct {
	Of       func(c *Call, word int) (name *string, err error) // finds the name of the object of a word
	Null     int64                                             // the handle of no object
	NullName string                                            // and what it is called
}

// Set names the object of word 0 as the text of word 1 says. Of a longer name it keeps the beginning.
func (n *Naming) Set(c *Call) error {
	name, err := n.Of(c, 0)
	if err != nil {
		return err
	}
	text := c.Text(c.Words[1])
	*name = text[:min(len(text), standard.MaxObjectName-1)]
	return nil
}

// Get tells the name of the object of word 0, and its length.
func (n *Naming) Get(c *Call) error {
	text := n.NullName
	if c.Words[0] != n.Null {
		name, err := n.Of(c, 0)
		if err != nil {
			return err
		}
		text = *name
	}
	c.PutInt(c.Words[2], c.PutText(c.Words[1], text, standard.MaxObjectName))
	return nil
}
