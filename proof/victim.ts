/**
 * The process that is killed: creates its run unless it is there, drives it to its end, and kills
 * itself with SIGKILL at the failpoint that it was told. Started by kills.ts.
 *
 *   node victim.js '{ "base": "/tmp/…", "rounds": 2, "kill": { "site": "sql.commit", … } }'
 */

import { writeFileSync } from 'node:fs'
import { type Effects, openEffects } from './effects.ts'
import type { Call, Phase, Watch } from './failpoints.ts'
import type { Kill, VictimJob } from './victim-job.ts'
import { driveVictim, placesIn } from './victim-world.ts'

async function main(job: VictimJob): Promise<void> {
  const { base, rounds, sabotage } = job
  const effects = openEffects(placesIn(base).effects)
  const counts = new Map<string, number>()
  const watch = killAt(job.kill, effects, counts)
  await driveVictim({ base, effects, watch, rounds, sabotage })
  if (job.counts !== undefined) writeFileSync(job.counts, JSON.stringify([...counts]))
}

/** Counts only calls that change something: nothing is different after a read. */
function killAt(kill: Kill | undefined, effects: Effects, counts: Map<string, number>): Watch {
  const isIt = (call: Call, phase: Phase): boolean =>
    call.site === kill?.site && call.occurrence === kill.occurrence && phase === kill.phase
  return {
    halves: (call) => isIt(call, 'half'),
    reach(call, phase) {
      if (call.changes) counts.set(call.site, call.occurrence)
      if (!isIt(call, phase)) return
      effects.write({ type: 'killed', at: `${call.site} ${phase} ${call.occurrence}` })
      process.kill(process.pid, 'SIGKILL')
    },
  }
}

const job: VictimJob = JSON.parse(process.argv[2] ?? '{}')
await main(job)
