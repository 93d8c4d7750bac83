package environment

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Error_class":         errorClass,
		"MPI_Error_string":        errorString,
		"MPI_Add_error_class":     addErrorClass,
		"MPI_Add_error_code":      addErrorCode,
		"MPI_Add_error_string":    addErrorString,
		"MPI_Remove_error_class":  func(c *abi.Call) error { return removeError(c, c.At(0), true) },
		"MPI_Remove_error_code":   func(c *abi.Call) error { return removeError(c, c.At(0), false) },
		"MPI_Remove_error_string": removeErrorText,
	})
}

func addErrorClass(c *abi.Call) error {
	c.PutInt(c.Words[0], newError(c, 0))
	return nil
}

func addErrorCode(c *abi.Call) error {
	if !errorExists(c, c.At(0)) {
		return abi.Wrong(standard.ErrArg, "%d is no error class", c.At(0))
	}
	c.PutInt(c.Words[1], newError(c, c.At(0)))
	return nil
}

func addErrorString(c *abi.Call) error {
	if c.At(0) <= standard.ErrLastcode || !errorExists(c, c.At(0)) {
		return abi.Wrong(standard.ErrArg, "%d is no error code of the program", c.At(0))
	}
	c.Errors.Text[c.At(0)] = c.Text(c.Words[1])
	return nil
}

func errorExists(c *abi.Call, code int) bool {
	if code <= standard.ErrLastcode {
		return code >= 0 && (code <= standard.ErrAbi || code == standard.ErrLastcode || code >= 1001 && code <= 1018)
	}
	_, known := c.Errors.Class[code]
	return known
}

func newError(c *abi.Call, class int) int {
	if c.Errors.Class == nil {
		c.Errors.Class, c.Errors.Text = map[int]int{}, map[int]string{}
	}
	code := c.Errors.Next
	c.Errors.Next++
	if class == 0 {
		class = code
	}
	c.Errors.Class[code] = class
	return code
}

func removeError(c *abi.Call, code int, class bool) error {
	of, known := c.Errors.Class[code]
	if !known || (of == code) != class {
		return abi.Wrong(standard.ErrArg, "%d is no such error of the program", code)
	}
	if _, has := c.Errors.Text[code]; has {
		return abi.Wrong(standard.ErrArg, "error %d has a text; expected one that has been removed", code)
	}
	for other, of := range c.Errors.Class {
		if of == code && other != code {
			return abi.Wrong(standard.ErrArg, "error class %d has codes, among them %d; expected a class without", code, other)
		}
	}
	delete(c.Errors.Class, code)
	return nil
}

func removeErrorText(c *abi.Call) error {
	code := c.At(0)
	if _, has := c.Errors.Text[code]; !has {
		return abi.Wrong(standard.ErrArg, "%d is no error with a text of the program", code)
	}
	delete(c.Errors.Text, code)
	return nil
}

func errorClass(c *abi.Call) error {
	code := c.At(0)
	if !errorExists(c, code) {
		return abi.Wrong(standard.ErrArg, "%d is no error code", code)
	}
	if class, own := c.Errors.Class[code]; own {
		code = class
	}
	c.PutInt(c.Words[1], code)
	return nil
}

func errorString(c *abi.Call) error {
	code := c.At(0)
	if !errorExists(c, code) {
		return abi.Wrong(standard.ErrArg, "%d is no error code", code)
	}
	text := ""
	if code <= standard.ErrLastcode {
		text = c.ErrorText(code)
	} else {
		text = c.Errors.Text[code]
	}
	c.PutInt(c.Words[2], c.PutText(c.Words[1], text, standard.MaxErrorString))
	return nil
}
