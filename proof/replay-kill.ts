/** `node build/proof/replay-kill.js <site> <phase> <occurrence> [<site> <phase> <occurrence>]` */

import type { Phase } from './failpoints.ts'
import { measureSites, runCase } from './kill-case.ts'
import type { Kill } from './victim-job.ts'

const phases: readonly Phase[] = ['before', 'half', 'after']

function killFrom([site, when, occurrence]: readonly string[]): Kill | undefined {
  const phase = phases.find((one) => one === when)
  if (site === undefined || phase === undefined) return undefined
  return { site, phase, occurrence: Number(occurrence ?? 1) }
}

const args = process.argv.slice(2)
const kills = [args.slice(0, 3), args.slice(3, 6)]
  .map(killFrom)
  .filter((kill) => kill !== undefined)
if (kills.length === 0) {
  process.stderr.write('Say where to kill: <site> <phase> <occurrence>, once or twice.\n')
  process.exitCode = 64
} else {
  const { clean } = await measureSites()
  const end = await runCase(kills, clean)
  process.stdout.write(`${JSON.stringify(end, undefined, 2)}\n`)
  if (end.findings.length > 0) process.exitCode = 1
}
