/**
 * `npm start`: runs a loop file as a user would, with `loopctl run`, on a copy of its project. When the
 * last run of it was left or killed, it goes on with that one. The daemon that it goes through is ended
 * again, unless it was there before: whoever tries this out is left with nothing that runs.
 */

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isEnd, openHost, stateFolder } from 'loopwright'
import { chooseAgent, findOffers, type Offer } from './start-offer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const loopctl = join(root, 'dist', 'cli', 'loopctl.js')

/** Loop files with a project of their own. */
export const loopFiles = ['mend-duration', 'fix-sum'] as const
export type LoopFileName = (typeof loopFiles)[number]

const intros: Readonly<Record<LoopFileName, readonly string[]>> = {
  'mend-duration': [
    'A small project with a fault: its tests fail. The agent here needs no model, no key and no network:',
    'it tries small edits until the tests pass. The run ends when tests that Loopwright ran itself pass.',
  ],
  'fix-sum': [
    'A scripted agent stands in for a model here; nothing is called over the network.',
    'It claims success each time. Interrupt it, and start it again: it goes on where it was.',
  ],
}

export async function startFile(name: LoopFileName, wanted: string | undefined): Promise<number> {
  const wasThere = hasDaemon()
  const code = await runFile(name, wanted)
  if (!wasThere && hasDaemon()) {
    const left = code === 0 ? '' : ', and the run is left'
    say('', `The daemon was started for this alone, so it ends now${left}:`)
    await ctl(['daemon', 'stop'])
    if (code !== 0) say(`Go on with: npm start${name === loopFiles[0] ? '' : ` -- ${name}`}`)
  }
  return code
}

function hasDaemon(): boolean {
  const asked = [loopctl, '--json', 'daemon', 'status']
  return spawnSync(process.execPath, asked, { stdio: 'ignore' }).status === 0
}

async function runFile(name: LoopFileName, wanted: string | undefined): Promise<number> {
  const folder = stateFolder()
  // Whoever types this watches it, also where there is no terminal to ask at.
  const ours = ['--trust', '--attended']
  const open = await findRun(folder, name, (run) => !isEnd(run.status))
  if (open !== undefined) {
    return open.held ? ctl(['watch', open.name]) : ctl(['resume', open.name, ...ours])
  }
  const offers = name === 'mend-duration' && wanted === undefined ? await findOffers(loopctl) : []
  const agent = wanted ?? (await chooseAgent(offers))
  const { file, isRepository } = freshCopy(folder, name, agent)
  say(...(agent === undefined ? intros[name] : [`${agent} mends a small project now.`]))
  say(`  loopctl run ${file}`, '')
  // A copy of the same: what was tried before is tried again on purpose.
  const code = await ctl(['run', file, '--again', ...ours, ...(isRepository ? ['--worktree'] : [])])
  const done = (await findRun(folder, name, () => true))?.name
  if (done === undefined || code !== 0) return code
  say('', 'What it changed:', '')
  await ctl(['diff', done])
  say('', ...(await testCounts(folder, done)), ...nextSteps(done, offers))
  return 0
}

function nextSteps(run: string, offers: readonly Offer[]): readonly string[] {
  const steps: readonly (readonly [string, string])[] = [
    [`npx loopctl show ${run} 1`, 'See what its first iteration was about'],
    [`npx loopctl merge ${run}`, 'Land it on a branch, without touching a checkout'],
    ...offers.map(({ agent, why }) => [`npm start -- --agent ${agent}`, why] as const),
    [
      'npx loopctl run examples/mend-duration/loop.yaml --workspace <folder>',
      'Let it try a project of yours that has node:test tests',
    ],
  ]
  return ['Next:', ...steps.flatMap(([command, why]) => [`  ${why}:`, `    ${command}`])]
}

type Run = Awaited<ReturnType<Awaited<ReturnType<typeof openHost>>['list']>>[number]

/** The newest first. */
async function findRun(
  folder: string,
  loop: string,
  fits: (run: Run) => boolean,
): Promise<Run | undefined> {
  const host = await openHost({ folder })
  try {
    const runs = await host.list()
    return runs.find((run) => run.loop === loop && fits(run))
  } finally {
    await host.close()
  }
}

/** As the test runner counted them when the check was run for the last time. */
async function testCounts(folder: string, run: string): Promise<readonly string[]> {
  const host = await openHost({ folder })
  try {
    let output = ''
    for await (const { event } of host.events(run)) {
      if (event.type !== 'step-finished' || !event.step.startsWith('check:')) continue
      output = JSON.stringify(event.result)
    }
    const count = (what: string): string => new RegExp(`# ${what} (\\d+)`).exec(output)?.[1] ?? '?'
    return [`The check, run by Loopwright: ${count('pass')} tests pass, ${count('fail')} fail.`, '']
  } finally {
    await host.close()
  }
}

/** The example stays as it is; each run works on a copy of its own. */
function freshCopy(
  folder: string,
  name: LoopFileName,
  agent: string | undefined,
): { readonly file: string; readonly isRepository: boolean } {
  let number = 1
  while (existsSync(join(folder, 'examples', `${name}-${number}`))) number++
  const copy = join(folder, 'examples', `${name}-${number}`)
  cpSync(join(root, 'examples', name), copy, { recursive: true })
  const file = join(copy, 'loop.yaml')
  if (agent !== undefined) {
    const text = readFileSync(file, 'utf8')
    const value = agent.includes('/') ? `{ model: ${agent} }` : agent
    writeFileSync(
      file,
      text.replace(/^agent: repair$/m, () => `agent: ${value}`),
    )
  }
  return { file, isRepository: makeRepository(join(copy, 'project')) }
}

/** So that the run has a worktree and a branch of its own. Without git it works in the folder itself. */
function makeRepository(project: string): boolean {
  const git = (...args: string[]): number | null =>
    spawnSync('git', ['-C', project, ...args], { stdio: 'ignore' }).status
  const author = ['-c', 'user.name=Example', '-c', 'user.email=example@localhost']
  if (git('init', '-q', '-b', 'main') !== 0 || git('add', '.') !== 0) return false
  const commit = ['commit', '-q', '-m', 'A project with a fault']
  return git(...author, '-c', 'commit.gpgsign=false', ...commit) === 0
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Ctrl-C reaches it too, since it shares our terminal; we only wait for its end. */
function ctl(args: readonly string[]): Promise<number> {
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  const child = spawn(process.execPath, [loopctl, ...args], { stdio: 'inherit' })
  const forward = (): void => void child.kill('SIGTERM')
  process.on('SIGTERM', forward)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      process.off('SIGTERM', forward)
      process.off('SIGINT', ignore)
      resolve(code ?? 1)
    })
  })
}
