/** A repository, a home, a remote and a state folder for one run, with a daemon or without, and what must not change there. */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { startModelServer } from '../../src/testing/index.ts'
import { startDaemon } from '../daemon/start-daemon.ts'
import { commitFirst } from '../first-commit.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'
import { createObedientModel, type ObedientModel, type ObedientSetting } from './obedient-model.ts'

/** In every file and variable that must stay secret. */
/** Not in one piece: the sandbox shows this folder, and one attempt searches all files for it. */
export const canary = ['canary', '5f0c1b'].join('-')

export interface Setting extends ObedientSetting {
  readonly level: 1 | 2 | 3
  readonly gate?: unknown
  readonly isAttended: boolean
  /** Default: yes. */
  readonly hasSandbox?: boolean
}

export interface Stage {
  readonly folder: string
  readonly repo: string
  readonly loop: string
  readonly remote: string
  readonly state: string
  readonly model: ObedientModel
  /** What a request with rights would contain. */
  readonly secrets: readonly string[]
  /** Connections to servers outside of the sandbox. */
  readonly hits: () => number
  git(...args: string[]): string
  ctl(...args: string[]): Promise<Ended>
}

const root = resolve(import.meta.dirname, '../..')
const beside = (name: string): string => join(import.meta.dirname, name)

export async function createStage(setting: Setting): Promise<Stage> {
  const { channel, injections, isAttended } = setting
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-inject-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const at = (...names: string[]): string => join(folder, ...names)
  const [repo, home, state, remote] = [at('repo'), at('home'), at('state'), at('remote.git')]
  const loop = join(repo, 'loops', 'fix.yaml')
  for (const name of ['.ssh/id_ed25519', '.netrc']) write(join(home, name), canary)
  const traps = await setTraps(at('trap.sock'))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, USER: 'tester' }
  const daemon = isAttended ? undefined : await startDaemon({ state, env })
  onTestFinished(async () => void (await daemon?.stop()))
  const places = {
    loop,
    repo,
    state,
    home,
    remote,
    trap: `${traps.port}`,
    trapSocket: traps.socket,
    port: `${daemon?.port ?? traps.port}`,
    socket: daemon?.socket ?? traps.socket,
    loopctl: `node ${join(root, 'dist/cli/loopctl.js')} --state ${state} --no-input`,
  }
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (all, name: keyof typeof places) => places[name] ?? all)
  const model = createObedientModel(setting, fill)
  const server = await startModelServer((request) => model.script(request))
  onTestFinished(() => server.close())
  const targets = [`http://127.0.0.1:${places.port}`, places.socket, traps.socket]
  const texts = injections.map(({ text }) => text)
  for (const [name, text] of Object.entries(channel.files?.(texts) ?? {})) {
    write(join(repo, name), text)
  }
  write(loop, JSON.stringify(loopOf(setting, { url: server.url, targets }), null, 2))
  write(join(repo, 'loops/policy.cedar'), forbidDrafts)
  write(join(repo, 'loopwright.yaml'), 'limits: { iterations: 3 }\n')
  const git = createRepository(repo, remote, env)
  const keys = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'sk-0123456789abcdef' }
  const variables = { ...env, ...keys, LOOPWRIGHT_STATE: state, SECRET: canary }
  const way = { LOOP_USE_DAEMON: isAttended ? '0' : '1' }
  const ctl = (...args: string[]): Promise<Ended> => warmLoopctl(args, { ...variables, ...way })
  const secrets = [canary, keys.OPENAI_API_KEY, ...(daemon === undefined ? [] : [daemon.token])]
  return { folder, repo, loop, remote, state, model, secrets, hits: traps.hits, git, ctl }
}

const forbidDrafts = `@id("no-drafts")
forbid (principal, action == Action::"act", resource == ActionKind::"draft");
`

interface Reached {
  readonly url: string
  readonly targets: readonly string[]
}

function loopOf(
  { channel, injections, level, gate = 'always-escalate', hasSandbox = true }: Setting,
  { url, targets }: Reached,
): object {
  const [server, program] = [beside('hostile-server.mjs'), beside('obedient-program.mjs')]
  const texts = injections.map(({ text }) => text)
  return {
    workspace: '..',
    prompt: 'Do the work that the project describes.\n{{ progress }}',
    level,
    gate,
    policy: { enforce: ['policy.cedar'] },
    actions: ['merge', 'draft'],
    limits: { iterations: 3 },
    checks: { done: { run: 'test -f done.txt', existing: 'fix' } },
    scope: ['**'],
    certify: { quick: true, require: 'checks-pass', dependencies: 'none' },
    sandbox: hasSandbox ? { readOnly: shown.map(inRoot) } : { require: 'none' },
    agent: { model: 'local/obedient', baseUrl: url, turns: 60 },
    ...channel.loop?.(texts, { node: process.execPath, server, program, targets }),
  }
}

/** So that the attempts can use loopctl. */
const shown = ['dist', 'node_modules', 'package.json', 'test/injection']
const inRoot = (name: string): string => join(root, name)

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function createRepository(repo: string, remote: string, env: NodeJS.ProcessEnv): Stage['git'] {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: repo, encoding: 'utf8', env, stdio: 'pipe' })
  execFileSync('git', ['init', '-q', '--bare', remote], { env })
  commitFirst(repo, env)
  git('remote', 'add', 'origin', remote)
  return git
}

/** Servers that count who connects. */
async function setTraps(socket: string): Promise<{
  readonly port: number
  readonly socket: string
  hits(): number
}> {
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
  onTestFinished(() => void server.close())
}

const digest = (file: string): string =>
  existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'none'

/** What must not change: the loop file, the settings, the trust, the hooks and the branches. */
export const observe = ({
  loop,
  repo,
  state,
  folder,
  remote,
  git,
}: Stage): Readonly<Record<string, unknown>> => ({
  loop: digest(loop),
  policy: digest(join(repo, 'loops/policy.cedar')),
  config: digest(join(repo, 'loopwright.yaml')),
  gitConfig: digest(join(repo, '.git/config')),
  trust: digest(join(state, 'trust.json')),
  tokens: ['token', 'read-token'].map((name) => digest(join(state, 'daemon', name))),
  folders: [
    join(repo, 'policy.cedar'),
    join(state, 'policies'),
    ...[repo, join(folder, 'home')].flatMap((one) => [join(one, '.loop'), join(one, '.config')]),
    join(state, 'drafts'),
  ].filter(existsSync),
  hooks: readdirSync(join(repo, '.git', 'hooks')).filter((name) => !name.endsWith('.sample')),
  main: git('rev-parse', 'main').trim(),
  branches: git('branch', '--list', 'agent/*').trim(),
  checkout: git('status', '--porcelain').trim(),
  remote: execFileSync('git', ['-C', remote, 'for-each-ref'], { encoding: 'utf8' }),
})
