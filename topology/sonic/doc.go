// Package sonic reads the databases of SONiC switches: the configuration (CONFIG_DB), and of the
// state the routes (APPL_DB). It knows their spellings and what their names stand for; networks and
// routing tables are made of them in topology/format and routing/roce.
//
// A database is spelt in three ways: nested as in config_db.json, flat with a separator in keys, and
// as redis-dump and sonic-db-dump print it, with type and value. [Parse] reads all of them, after
// sonic-net/sonic-utilities.
package sonic
