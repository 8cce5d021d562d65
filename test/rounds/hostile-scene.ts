/** A scene with a daemon, a home with secrets, and servers that count who connects; and what a round must not change there. */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { afterStory } from '../after.ts'
import { startDaemon } from '../daemon/start-daemon.ts'
import { project } from './chores.ts'
import type { Deed } from './deeds.ts'
import { createScene, type Scene } from './scene.ts'

/** Not in one piece: the sandbox shows this folder. */
export const canary = ['canary', '71b3e4'].join('-')

export interface HostileScene extends Scene {
  readonly outside: string
  /** What a request with rights would contain. */
  readonly secrets: readonly string[]
  /** Connections to servers outside of the sandbox. */
  hits(): number
}

export interface HostileSetting {
  readonly level: 1 | 2 | 3
  readonly deeds: readonly Deed[]
  /** Keys of the loop file. */
  readonly keys: string
  readonly files?: Readonly<Record<string, string>>
  readonly maker: string
  readonly checker: string
}

const root = resolve(import.meta.dirname, '../..')

/** In the sandbox, so that the deeds can use loopctl. */
const shown = ['dist', 'node_modules', 'package.json', 'catalog'].map((name) => join(root, name))

export async function createHostileScene(setting: HostileSetting): Promise<HostileScene> {
  const { level, deeds, keys, files = {}, maker, checker } = setting
  const scene = createScene(
    {
      ...project,
      'tools/maker.mjs': maker,
      'tools/checker.mjs': checker,
      'loops/chore.yaml': `loop: round
workspace: ..
intent: Look after the shop.
level: ${level}
agents: { maker: { command: [node, tools/maker.mjs] }, checker: { command: [node, tools/checker.mjs] } }
sandbox: { readOnly: ${JSON.stringify(shown)} }
${keys}`,
      ...files,
    },
    { hasDaemon: true },
  )
  const { folder, state, home, env } = scene
  const outside = join(folder, 'outside')
  mkdirSync(outside)
  for (const name of ['.ssh/id_ed25519', '.netrc']) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), canary)
  }
  const traps = await setTraps(join(folder, 'trap.sock'))
  const daemon = await startDaemon({ state, env })
  afterStory(() => daemon.stop())
  const places = {
    repo: scene.repo,
    home,
    state,
    outside,
    remote: scene.remote,
    installation: root,
    github: scene.github.folder,
    gh: join(scene.github.bin, 'gh'),
    port: `${daemon.port}`,
    socket: daemon.socket,
    trap: `${traps.port}`,
    trapSocket: traps.socket,
    run: 'round',
    loop: 'chore',
    loopctl: `${process.execPath} ${join(root, 'dist/cli/loopctl.js')} --state ${state} --no-input`,
  }
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (all, name: keyof typeof places) => places[name] ?? all)
  const commands = deeds.map((deed) => deed.commands.map(fill))
  scene.write({ 'tools/deeds.json': JSON.stringify(commands) })
  scene.git('add', '-A')
  scene.git('commit', '-q', '-m', 'deeds')
  return { ...scene, outside, secrets: [canary, daemon.token], hits: traps.hits }
}

/** Servers that count who connects. */
async function setTraps(
  socket: string,
): Promise<{ readonly port: number; readonly socket: string; hits(): number }> {
  let hits = 0
  const hit = (connection: Socket): void => {
    hits += 1
    connection.destroy()
  }
  const server = createServer(hit)
  await listen(server, 0)
  await listen(createServer(hit), socket)
  return { port: (server.address() as AddressInfo).port, socket, hits: () => hits }
}

async function listen(server: Server, at: string | number): Promise<void> {
  await new Promise<void>((done) => {
    if (typeof at === 'number') server.listen(at, '127.0.0.1', done)
    else server.listen(at, done)
  })
  afterStory(() => void server.close())
}

/** Of a regular file; reading a pipe would wait for its writer. */
function digest(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 'none'
  if (found.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  if (!found.isFile()) return 'no file'
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
  return `${(found.mode & 0o777).toString(8)} ${hash}`
}

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name))
        .toSorted()
    : []

/** By path: the digest of each file, or what it is. */
const digests = (folder: string, except: RegExp = /^$/): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesIn(folder)
      .map((path) => [path.slice(folder.length + 1), path] as const)
      .filter(([inner]) => !except.test(inner))
      .map(([inner, path]) => [inner, digest(path)]),
  )

/** Of refs, apart from those of the run itself. */
const refs = (folder: string): string =>
  execFileSync('git', ['-C', folder, 'for-each-ref', '--format=%(refname) %(objectname)'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((line) => !/^refs\/(?:heads\/run|loopwright)\//.test(line))
    .join('\n')

/** What the engine writes for its worktree and its run, and what git writes for new objects. */
const ofTheRun =
  /^(?:logs\/|\.git\/(?:worktrees|objects|logs|refs\/(?:heads\/run|loopwright)|info|loopwright|packed-refs|config\.worktree|index))/

/** Everything that a round must leave as it is. */
export const observe = ({ repo, remote, home, state, outside, github, folder }: HostileScene) => ({
  repo: digests(repo, ofTheRun),
  refs: refs(repo),
  remote: refs(remote),
  home: digests(home),
  github: digests(github.folder, /^calls\.log$/),
  outside: filesIn(outside),
  beside: readdirSync(folder).filter((name) => !name.startsWith('shop.run-')),
  state: ['trust.json', 'daemon/token', 'daemon/read-token'].map((name) =>
    digest(join(state, name)),
  ),
  drafts: filesIn(join(state, 'drafts')),
  installation: [join(root, 'dist'), join(root, 'catalog')]
    .flatMap(filesIn)
    .filter((path) => /\/deed[^/]*$/.test(path)),
})

/** How the files of the run's worktree differ from those that it began with, if it is still there. */
export function worktreeChanges({ folder, repo }: HostileScene): readonly string[] {
  const worktree = join(folder, 'shop.run-round')
  if (!existsSync(worktree)) return []
  const except = /^(?:\.git(?:\/|$)|logs\/)/
  const [before, after] = [digests(repo, except), digests(worktree, except)]
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...paths].filter((path) => before[path] !== after[path])
}

/** Processes of the deeds that are still alive. */
export const survivors = (): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        return ''
      }
    })
    .filter((line) => /^(?:deed-stays|sleep) 4711|answer round --accept; sleep/.test(line))
