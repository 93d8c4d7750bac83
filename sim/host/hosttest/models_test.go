package hosttest_test

import _ "musubi/sim/nic/models" // hosts are tested with all of them
