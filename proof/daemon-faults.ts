/** What goes wrong around the daemon: kills, a full disk, a second daemon, agents that hang or rave. */

import type { Suite } from '../bench/report.ts'
import { agentFaults } from './daemon-agents.ts'
import { fullDisks } from './daemon-disk.ts'
import { daemonKills } from './daemon-kills.ts'
import { daemonRivals } from './daemon-rivals.ts'

export const daemonFaults: readonly Suite[] = [daemonKills, fullDisks, daemonRivals, ...agentFaults]
