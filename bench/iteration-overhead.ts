/**
 * What an iteration costs besides its agent and its checks: a loop file whose agent appends a line and whose
 * check counts the lines, through loopctl, in a worktree and in place. In turns with the same by hand, on the
 * same tree: both commands in a sandbox, `git add` and `git commit`.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSandbox } from 'loopwright'
import { atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'
import { git, wallMs, withRepository } from './worktree.ts'

export const files = 500
const rounds = 5
const perRound = 20
/** The first ones fill caches. */
const warmUp = 4
const early = 10
const last = 500
const windowSize = 20

const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))
const counter = new URL('count-git.js', import.meta.url).href

const agentLine = 'echo x >> log.txt'
const checkLine = (lines: number): string => `test "$(wc -l < log.txt)" -ge ${lines}`

export const iterationOverhead: Suite = {
  area: 'build',
  title: 'an iteration beside git add, git commit and two sandbox starts',
  run: ({ scale, note }) =>
    withRepository(files, async (checkout) => {
      const bareRound = await openBare(checkout)
      const took = { worktree: [] as number[], inPlace: [] as number[], bare: [] as number[] }
      let processes = 0
      const count = Math.max(1, Math.round(rounds * scale))
      for (let round = 0; round < count; round++) {
        const inWorktree = await runLoop(checkout, perRound, true)
        const bare = await bareRound(perRound)
        const inPlace = await runLoop(checkout, perRound, false)
        processes = inWorktree.gitProcesses
        took.worktree.push(...inWorktree.iterationMs.slice(warmUp))
        took.inPlace.push(...inPlace.iterationMs.slice(warmUp))
        took.bare.push(...bare.slice(warmUp))
        note(`  round ${round + 1}: ${shown(took.worktree)} beside ${shown(took.bare)}`)
      }
      const one = await runLoop(checkout, 1, true)
      const each = ((processes - one.gitProcesses) / (perRound - 1)).toFixed(1)
      const times = (values: readonly number[]): number => median(values) / median(took.bare)
      const beside = `beside ${shown(took.bare)}, ${files} files`
      return [
        atMost(
          'build.iteration-overhead',
          times(took.worktree),
          3,
          'x',
          `${shown(took.worktree)} ${beside}, ${each} git processes each`,
        ),
        atMost(
          'build.iteration-overhead-in-place',
          times(took.inPlace),
          3,
          'x',
          `${shown(took.inPlace)} ${beside}`,
        ),
        atMost('build.run-git-processes', one.gitProcesses, 25, 'git processes, one iteration'),
      ]
    }),
}

export const iterationFlat: Suite = {
  area: 'build',
  title: `iteration ${last} in a worktree beside iteration ${early}`,
  run: ({ scale }) =>
    withRepository(files, async (checkout) => {
      const end = Math.max(early + 2 * windowSize, Math.round(last * scale))
      const { iterationMs } = await runLoop(checkout, end + 1, true)
      const first = iterationMs.slice(early, early + windowSize)
      const final = iterationMs.slice(end - windowSize, end)
      const detail = `${shown(final)} at iteration ${end} beside ${shown(first)}`
      return [atMost('build.iteration-flat', median(final) / median(first), 1.2, 'x', detail)]
    }),
}

const shown = (values: readonly number[]): string => `${median(values).toFixed(0)} ms`

interface Ran {
  /** From the start of each iteration to the start of the next. */
  readonly iterationMs: readonly number[]
  readonly gitProcesses: number
}

/** In a copy of the checkout, with a state folder for this run alone. */
export function runLoop(checkout: string, iterations: number, worktree: boolean): Promise<Ran> {
  return withFolder(async (folder) => {
    cpSync(checkout, join(folder, 'work'), { recursive: true })
    const state = join(folder, 'state')
    mkdirSync(state)
    const loop = [
      'workspace: work',
      'prompt: go',
      `agent: { command: [sh, -c, '${agentLine}'] }`,
      `checks: { lines: '${checkLine(iterations)}' }`,
      'until: [{ type: checks-pass, checks: [lines] }]',
      'certify: { teeth: false }',
      `worktree: ${worktree}`,
      `limits: { iterations: ${iterations + 1} }`,
    ]
    writeFileSync(join(folder, 'loop.yaml'), `${loop.join('\n')}\n`)
    const counted = join(folder, 'count')
    const events = await loopctlEvents(join(folder, 'loop.yaml'), {
      PATH: process.env['PATH'] ?? '',
      HOME: state,
      LOOPWRIGHT_STATE: state,
      LOOP_USE_DAEMON: '0',
      USER: 'bench',
      LOOPWRIGHT_BENCH_COUNT: counted,
    })
    const starts = events.flatMap(({ atMs, event }) =>
      event?.type === 'iteration-started' && atMs !== undefined ? [atMs] : [],
    )
    if (starts.length !== iterations) {
      throw new Error(`${starts.length} iterations started instead of ${iterations}`)
    }
    return {
      iterationMs: starts.slice(1).map((atMs, index) => atMs - (starts[index] ?? atMs)),
      gitProcesses: Number(readFileSync(counted, 'utf8')),
    }
  })
}

interface Line {
  readonly atMs?: number
  readonly event?: { readonly type: string }
}

async function loopctlEvents(file: string, env: NodeJS.ProcessEnv): Promise<readonly Line[]> {
  const args = ['--import', counter, loopctl, '--json', 'run', file, '--trust']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = await once(child, 'close')
  const text = Buffer.concat(chunks).toString('utf8')
  if (code !== 0) throw new Error(`loopctl ended with ${code}: ${text.slice(-2000)}`)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

/** The same work by hand, in a copy of the checkout. */
async function openBare(checkout: string): Promise<(count: number) => Promise<readonly number[]>> {
  const workspace = `${checkout}.bare`
  cpSync(checkout, workspace, { recursive: true })
  const sandbox = await openSandbox({ requireTier: 'strong' })
  const commands = sandbox.commands({ workspace })
  const never = new AbortController().signal
  const run = (line: string): Promise<unknown> =>
    commands.run({ program: 'sh', args: ['-c', line], cwd: workspace }, never)
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']
  return async (count) => {
    const took: number[] = []
    for (let index = 0; index < count; index++) {
      const iteration = async (): Promise<void> => {
        await run(agentLine)
        await run(checkLine(count))
        await git(workspace, 'add', '-A')
        await git(workspace, ...identity, 'commit', '-q', '-m', `iteration ${index}`)
      }
      took.push(await wallMs(iteration))
    }
    return took
  }
}
