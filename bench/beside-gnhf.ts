/**
 * An iteration beside gnhf, which commits after each one as well, if it is on PATH (it is not installed: its package may
 * not be available). Its agent is a script in the place of `claude` that appends a line; gnhf has neither checks nor a
 * sandbox.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { files, runLoop } from './iteration-overhead.ts'
import { atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'
import { withRepository } from './worktree.ts'

const rounds = 5
const perRound = 20
/** The first ones fill caches. */
const warmUp = 4

const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  total_cost_usd: 0,
  usage: {
    input_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  },
  structured_output: { success: true, summary: 'x', key_changes_made: [], key_learnings: [] },
}

const agent = `#!/bin/sh
date +%s%N >> "$BENCH_STARTS"
echo x >> log.txt
echo '${JSON.stringify(result)}'
`

export const besideGnhf: Suite = {
  area: 'build',
  title: 'an iteration beside gnhf, if it is on PATH',
  run: ({ scale, note }) =>
    withRepository(files, async (checkout) => {
      const program = findOnPath('gnhf')
      if (program === undefined) {
        return [atMost('build.gnhf', 0, 0, 'runs', 'not compared: gnhf is not on PATH')]
      }
      const took = { ours: [] as number[], theirs: [] as number[] }
      for (let round = 0; round < Math.max(1, Math.round(rounds * scale)); round++) {
        const { iterationMs } = await runLoop(checkout, perRound, true)
        took.ours.push(...iterationMs.slice(warmUp))
        took.theirs.push(...(await runGnhf(program, checkout)).slice(warmUp))
        note(`  round ${round + 1}: ${median(took.ours)} ms beside ${median(took.theirs)} ms`)
      }
      const [ours, theirs] = [median(took.ours), median(took.theirs)]
      const detail = `${ours.toFixed(0)} ms beside ${theirs.toFixed(0)} ms without sandbox and checks`
      return [atMost('build.gnhf', ours / theirs, 1, 'x', detail)]
    }),
}

/** From the start of each agent to the start of the next. */
function runGnhf(program: string, checkout: string): Promise<readonly number[]> {
  return withFolder(async (folder) => {
    const work = join(folder, 'work')
    cpSync(checkout, work, { recursive: true })
    const tools = join(folder, 'bin')
    mkdirSync(tools)
    writeFileSync(join(tools, 'claude'), agent)
    chmodSync(join(tools, 'claude'), 0o755)
    const starts = join(folder, 'starts')
    const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@localhost' }
    const env = {
      PATH: [tools, process.env['PATH'] ?? ''].join(delimiter),
      HOME: folder,
      ...identity,
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@localhost',
      GNHF_TELEMETRY: '0',
      BENCH_STARTS: starts,
    }
    const limits = ['--max-iterations', `${perRound}`, '--prevent-sleep', 'off']
    const args = ['go', '--agent', 'claude', ...limits]
    const child = spawn(program, args, { cwd: work, env, stdio: ['ignore', 'ignore', 'inherit'] })
    await once(child, 'close')
    const times = readFileSync(starts, 'utf8')
      .trim()
      .split('\n')
      .map((line) => Number(line) / 1e6)
    if (times.length !== perRound) throw new Error(`gnhf started ${times.length} iterations`)
    return times.slice(1).map((time, index) => time - (times[index] ?? time))
  })
}

function findOnPath(name: string): string | undefined {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
