package machine_test

import _ "musubi/sim/nic/models" // which built-in machines have
