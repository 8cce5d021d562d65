/**
 * Where stories are played: a repository with the files of the stage, and a host. Stories with the same project and a
 * test runner share one, as the runs of one user do: dependencies are carried into a layer once, and what the checks
 * say about the base is known. Attacks and honest work never share one, since approvals are remembered.
 */

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Host, openHost } from '../../src/host/index.ts'
import { commitFirst, removeFolder } from '../first-commit.ts'
import { linkModules } from './prepare-runners.ts'
import { projectFiles } from './stages.ts'
import type { Stage } from './story.ts'

export interface Scene {
  readonly host: Host
  readonly checkout: string
  /** The loop file of one story. */
  readonly loopFile: string
  /** Call at the end of the story, with the folder that it worked in. */
  leave(worktree: string | undefined): Promise<void>
}

export interface SceneOptions {
  readonly stage: Stage
  readonly loop: string
  /** Stories of different sets share nothing. */
  readonly set: 'answered' | 'unanswered'
}

interface Project {
  readonly folder: string
  readonly checkout: string
  readonly host: Host
}

interface SharedProject {
  readonly project: Promise<Project>
  /** How many stories are played in it now. */
  users: number
}

/** The least recently used first. */
const shared = new Map<string, SharedProject>()
/** Most stages belong to one story; the others are used again and again. */
const idleMax = 12
let stories = 0

export async function openScene({ stage, loop, set }: SceneOptions): Promise<Scene> {
  const isShared =
    stage.runner !== undefined && stage.isFolder !== true && stage.loopFile === undefined
  if (!isShared) {
    const project = await createProject(stage, loop)
    const loopFile = loopFileIn(project, stage)
    return { ...project, loopFile, leave: () => removeProject(project) }
  }
  const { files, latin1, executables, modules } = stage
  const key = JSON.stringify([set, files, latin1, executables, modules])
  const entry = shared.get(key) ?? { project: createProject(stage, undefined), users: 0 }
  entry.users += 1
  shared.delete(key)
  shared.set(key, entry)
  const project = await entry.project
  stories += 1
  const loopFile = join(project.folder, 'loops', String(stories), 'loop.yaml')
  put(loopFile, loop)
  return {
    ...project,
    loopFile,
    async leave(worktree) {
      entry.users -= 1
      if (worktree !== undefined) removeFolder(worktree)
      requireUntouched(project)
      await removeIdle()
    },
  }
}

async function removeIdle(): Promise<void> {
  const idle = [...shared].filter(([, { users }]) => users === 0)
  for (const [key, { project }] of idle.slice(0, Math.max(0, idle.length - idleMax))) {
    shared.delete(key)
    await removeProject(await project)
  }
}

/** After the last story of a file. */
export async function closeScenes(): Promise<void> {
  const entries = [...shared.values()]
  shared.clear()
  for (const { project } of entries) await removeProject(await project)
}

/** The next story has to find what this one found. */
function requireUntouched({ checkout }: Project): void {
  const changes = git(checkout, 'status', '--porcelain', '--untracked-files=all')
  const commits = git(checkout, 'rev-list', '--count', 'main').trim()
  if (changes !== '' || commits !== '1') {
    throw new Error(`The story changed the user's checkout: ${changes}${commits} commits`)
  }
}

async function createProject(stage: Stage, loop: string | undefined): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-theatre-'))
  const checkout = join(folder, 'project')
  layOut(checkout, stage)
  if (loop !== undefined) put(loopFileIn({ folder, checkout }, stage), loop)
  if (stage.isFolder !== true) commitFirst(checkout, environment)
  const host = await openHost({ folder: join(folder, 'state'), synchronous: 'NORMAL' })
  return { folder, checkout, host }
}

async function removeProject({ folder, host }: Project): Promise<void> {
  await host.close()
  removeFolder(folder)
}

const loopFileIn = (
  { folder, checkout }: Pick<Project, 'folder' | 'checkout'>,
  stage: Stage,
): string =>
  stage.loopFile === undefined ? join(folder, 'loop.yaml') : join(checkout, stage.loopFile)

function layOut(checkout: string, stage: Stage): void {
  mkdirSync(checkout)
  const files = { ...projectFiles, ...stage.files }
  for (const [path, content] of Object.entries(files)) {
    if (content !== null) put(join(checkout, path), content)
  }
  for (const [path, content] of Object.entries(stage.latin1 ?? {})) {
    if (content !== null) put(join(checkout, path), Buffer.from(content, 'latin1'))
  }
  if (stage.modules !== undefined) linkModules(stage.modules, checkout)
  for (const path of stage.executables ?? []) chmodSync(join(checkout, path), 0o755)
}

const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent/loopwright',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_NOSYSTEM: '1',
}

const git = (checkout: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@localhost', ...args], {
    cwd: checkout,
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
