/**
 * A daemon with a project and real runs in every state: certified, waiting for a person, at work, without success; with a
 * schedule and a catalog loop. Only the agents are scripted. Tests look at it, and screenshots are made of it.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DaemonProcess, type ProcessOptions, startProcess } from '../daemon-process.ts'
import { ask } from './browser.ts'
import { loopFiles, projectFiles, workloadFiles } from './scene-files.ts'

export interface Scene {
  readonly daemon: DaemonProcess
  /** The repository. */
  readonly project: string
  /** The path of a loop file by its name. */
  file(name: string): string
  /** Starts a run and trusts its file. Resolves with its id. */
  start(loop: string, name: string, more?: object): Promise<string>
  /** Resolves when the run has one of these statuses. */
  until(run: string, ...statuses: readonly string[]): Promise<void>
  /** Resolves when it waits for a person. */
  untilAsked(run: string): Promise<void>
}

/** `folder`: an empty one. */
export async function openScene(folder: string, options: ProcessOptions = {}): Promise<Scene> {
  const project = join(folder, 'shop')
  write(project, { ...projectFiles, ...loopFiles })
  commit(project)
  write(join(folder, 'invoices'), workloadFiles)
  const daemon = await startProcess(join(folder, 'state'), {
    ...options,
    args: [
      '--max-concurrent-runs',
      '20',
      '--max-runs-per-workspace',
      '20',
      ...(options.args ?? []),
    ],
  })
  return sceneOn(daemon, project)
}

/** One run in each state. Resolves when they are there; `to-decimals` works on for minutes. */
export async function startRuns(scene: Scene): Promise<void> {
  const { daemon, project } = scene
  const asking = await scene.start('change-spec', 'add-currency')
  const fixed = await scene.start('fix-tests', 'fix-totals')
  await scene.start('migrate-prices', 'to-decimals')
  const stuck = await scene.start('tidy-imports', 'sort-imports')
  const drafted = await scene.start('draft-notes', 'notes-1')
  const tuned = await scene.start('tune-totals', 'better-totals', {
    workspace: join(dirname(project), 'invoices'),
    worktree: { use: false },
  })
  await ask(daemon, 'POST', '/schedules', {
    file: scene.file('draft-notes'),
    workspace: project,
    name: 'notes',
    trigger: { type: 'time', cadence: 'daily 18:00' },
    timeZone: 'Europe/Berlin',
    caps: { costMicros: 2_000_000, runs: 4 },
  })
  await ask(daemon, 'POST', '/schedules', {
    file: scene.file('fix-tests'),
    workspace: project,
    name: 'fix-at-night',
    trigger: { type: 'time', cadence: 'weekly mon 02:00' },
    timeZone: 'Europe/Berlin',
    fromNext: true,
  })
  await ask(daemon, 'POST', '/schedules/fix-at-night/pause', { by: 'ada', reason: 'release week' })
  await scene.untilAsked(asking)
  await scene.until(fixed, 'completed')
  await scene.until(stuck, 'stuck')
  await scene.until(drafted, 'completed')
  await scene.until(tuned, 'completed', 'exhausted')
}

/** The same project, on a daemon that was started again. */
export function sceneOn(daemon: DaemonProcess, project: string): Scene {
  const file = (name: string): string => join(project, 'loops', `${name}.yaml`)
  return {
    daemon,
    project,
    file,
    async start(loop, name, more = {}) {
      const { digest } = (await ask(daemon, 'POST', '/loops/preview', { file: file(loop) })) as {
        readonly digest: string
      }
      const request = { file: file(loop), workspace: project, name, trust: digest, attended: true }
      const { run } = (await ask(daemon, 'POST', '/runs', { ...request, ...more })) as {
        readonly run: { readonly id: string }
      }
      return run.id
    },
    until: (run, ...statuses) =>
      untilTrue(`${run} is ${statuses.join(' or ')}`, async () => {
        const found = (await ask(daemon, 'GET', `/runs/${run}`)) as {
          readonly run: { readonly status: string }
        }
        return statuses.includes(found.run.status)
      }),
    untilAsked: (run) =>
      untilTrue(`${run} asks`, async () => {
        const found = (await ask(daemon, 'GET', `/runs/${run}/questions`)) as {
          readonly items: readonly unknown[]
        }
        return found.items.length > 0
      }),
  }
}

const waitMsMax = 240_000
const lookMs = 150

async function untilTrue(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + waitMsMax
  while (!(await isTrue())) {
    if (performance.now() > endMs) throw new Error(`It took too long until ${what}.`)
    await sleep(lookMs)
  }
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** All files as the first commit of a repository. */
export function commit(folder: string): void {
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args], {
      cwd: folder,
      stdio: 'pipe',
    })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'Open the shop')
}
