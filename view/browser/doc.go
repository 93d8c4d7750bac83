// Package browser tests the page of package view in Chromium, as a person uses it.
//
// It is a module of its own, so that who imports or tests Musubi without a browser neither
// downloads nor compiles what drives one.
package browser
