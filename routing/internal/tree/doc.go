// Package tree makes spanning trees of networks and numbers their switches by level and preorder.
package tree
