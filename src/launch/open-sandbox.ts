/**
 * Opens the sandbox of a run, and decides whether a weaker one is acceptable.
 *
 * An unattended run needs a strong sandbox. Without one it is refused, with the reason and what to do.
 */

import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defined, LoopError } from '../loop/index.ts'
import type { SandboxSettings } from '../protocol/index.ts'
import { logDirDefault } from '../runs/artifact-mode.ts'
import {
  innerHome,
  type NetworkProxy,
  openNetworkProxy,
  openSandbox,
  openUnsandboxed,
  protectedPaths,
  type Relay,
  type Sandbox,
  type SandboxReport,
  type SandboxSpec,
} from '../sandbox/index.ts'
import { pathInside, requireNoLinks, resolveHiddenPaths } from '../system/index.ts'
import { makePrivateFolder, type PrivateFolder } from '../workspace/index.ts'
import { commandsFor, trustedPath, withCommand } from './agents/command-view.ts'
import type { RunDependencies } from './dependencies/run-dependencies.ts'
import { inCopy } from './in-copy.ts'
import { startingIn } from './inner-folder.ts'
import { notHidden } from './loop-warnings.ts'
import type { OpenContext } from './open-context.ts'
import type { AgentCommands, AgentView, OpenedSandbox } from './opened-sandbox.ts'

/** Inside the sandbox, where no other process listens. */
const gatewayPort = 4140
const proxyPort = 4141

export interface RunSandboxOptions {
  readonly settings: SandboxSettings
  /** The folder that paths of the settings are relative to. */
  readonly base: string
  readonly workspace: string
  /** Dependencies of the workspace that are stored elsewhere; undefined until they are installed. */
  readonly dependencies?: () => RunDependencies | undefined
}

export async function openRunSandbox(
  options: RunSandboxOptions,
  place: OpenContext,
): Promise<OpenedSandbox> {
  return startingIn(await openAtTop(options, place), options.workspace, place.inner)
}

async function openAtTop(
  { settings, base, workspace, dependencies = () => undefined }: RunSandboxOptions,
  place: OpenContext,
): Promise<OpenedSandbox> {
  const attended = place.attended === true
  const sandbox = await chooseSandbox(settings, attended)
  const { tier, limits } = sandbox.report
  const problems = [
    ...(tier === 'strong' ? [] : [weakness(sandbox.report, settings)]),
    ...notHidden(settings.hide, workspace),
  ]
  const hidden = resolveHiddenPaths(settings.hide, workspace, place.checkout)
  const readOnly = [
    ...settings.readOnly.map((path) => inWorktree(requireThere(resolve(base, path)), place)),
    // Targets of links in the workspace, except hidden ones.
    ...(place.readOnly ?? []).filter((path) => existsSync(path) && !hidden.covers(path)),
  ]
  // Evaluated for each command, because the workspace may not exist yet and its content changes.
  const parts = rememberParts(workspace)
  const ownPath = defined({ path: place.path })
  const outside = [...readOnly, ...(place.excludedPaths ?? []), ownProgram()]
  const shown = (): SandboxSpec => ({
    workspace,
    ...dependencies(),
    readOnly: unique(readOnly, dependencies()?.readOnly ?? [], parts(outside)),
    hide: unique(
      hidden.paths,
      parts([...hidden.paths, place.folder]),
      runFolders(workspace, place),
    ),
    limits: settings.limits,
    ...ownPath,
    ...place.layer,
    env: { ...impatience(settings), ...dependencies()?.env, ...place.layer?.env },
    ...defined({ sandboxPath: place.sandboxPath }),
  })
  if (tier !== 'none' && existsSync(workspace)) requireApart(workspace)
  // If the sandbox cannot be created, fail before the run starts.
  if (existsSync(workspace)) sandbox.commands(shown())
  const proxy = await openProxy(settings, place, problems)
  const inside = (): SandboxSpec => ({ ...shown(), ...networkBy(proxy) })
  const bare = openUnsandboxed()
  const searched = trustedPath(place)
  const ownWrites = defined({ workspaceOverlay: place.workspaceOverlay })
  return {
    summary: { tier, limits, attended },
    isRequired: settings.require !== undefined && settings.require !== 'none',
    problems,
    commands: { run: (command, signal) => sandbox.commands(inside()).run(command, signal) },
    commandsFor: (named, shows) =>
      commandsFor(sandbox, () => ({ ...inside(), ...ownWrites }), named, searched, shows),
    commandsIn: (copy, named) =>
      commandsFor(sandbox, () => inCopy(inside(), copy, tier), named, searched),
    modelCommandsIn: (copy, named, socketPath) =>
      agentCommands(sandbox, inCopy(inside(), copy, tier), named, socketPath, searched),
    bareCommands: bare.commands({ workspace, ...ownPath }),
    bareStart: (command) => bare.start({ workspace, ...ownPath }, command),
    agentCommands(command, socketPath, view = {}) {
      if (tier !== 'none') requireNoLinks(workspace, view.hides ?? [])
      const outer = view.isOffline === true ? shown() : inside()
      const seen = forAgent(outer, view)
      const own = view.instead === undefined ? seen : insteadOf(seen, view.instead)
      return agentCommands(sandbox, own, command, socketPath, searched)
    },
    startServer: (command) =>
      sandbox.start(
        withCommand(sandbox, inside(), [command.program, ...command.args], searched),
        command,
      ),
    protects: () => protectedPaths(shown()),
    close: async () => proxy?.close(),
  }
}

/** Nothing of the workspace is there, not even at its path. */
function insteadOf(seen: SandboxSpec, folder: string): SandboxSpec {
  const copy = inCopy(seen, { path: folder }, 'none')
  const {
    sandboxPath: _path,
    mounts: _mounts,
    overlay: _overlay,
    scratch: _scratch,
    ...apart
  } = copy
  return apart
}

function forAgent(outer: SandboxSpec, { hides = [], shows = [] }: AgentView): SandboxSpec {
  const hidden = hides.map((path) => join(outer.workspace, path))
  return {
    ...outer,
    readOnly: unique(outer.readOnly ?? [], shows),
    hide: unique(outer.hide ?? [], hidden),
  }
}

/** Without network access, npm would retry for a minute. */
const impatience = ({ network }: SandboxSettings): Readonly<Record<string, string>> =>
  network.length === 0 ? { npm_config_fetch_retries: '0' } : {}

/** Agents must neither read nor change the folders of earlier runs. */
function runFolders(workspace: string, { checkout, logDir }: OpenContext): readonly string[] {
  if (checkout !== undefined || !existsSync(workspace)) return []
  const folder = join(realpathSync(workspace), logDir ?? logDirDefault)
  // A link points elsewhere, and its target must not be hidden.
  return existsSync(folder) && realpathSync(folder) === folder ? [folder] : []
}

function requireApart(workspace: string): void {
  if (realpathSync(workspace) !== ownProgram()) return
  throw new LoopError(
    'bad-request',
    `${workspace} contains this loopctl, and a run could change it. Use a loopctl that is installed elsewhere, or another workspace.`,
  )
}

/** Rejects if the available sandbox is too weak. */
export async function chooseSandbox(
  { require }: SandboxSettings,
  attended: boolean,
): Promise<Sandbox> {
  if (require === 'none') {
    if (attended) return openUnsandboxed()
    const message =
      'The loop file disables the sandbox (sandbox.require: none), but this run is unattended. ' +
      `Remove that line, ${beThere}`
    throw new LoopError('not-available', message)
  }
  const sandbox = await openSandbox()
  const needed = require ?? (attended ? 'none' : 'strong')
  if (strength[sandbox.report.tier] >= strength[needed]) return sandbox
  throw tooWeak(sandbox.report, needed, require === undefined)
}

const strength = { none: 0, basic: 1, strong: 2 } as const

const beThere = 'or watch the run: start it at a terminal, or pass --attended.'

function tooWeak({ tier, reason, fix }: SandboxReport, needed: string, isRule: boolean): LoopError {
  const why = isRule ? 'This run is unattended, so it' : 'According to the loop file it'
  const message =
    `${why} needs a sandbox of tier "${needed}", but only "${tier}" is available. ${reason} ` +
    [fix, ...(isRule ? [`Do that, ${beThere}`] : [])].filter((part) => part !== undefined).join(' ')
  return new LoopError('not-available', message.trim())
}

function weakness({ tier, reason, fix }: SandboxReport, { require }: SandboxSettings): string {
  if (require === 'none') {
    return 'no sandbox, as set in the loop file: commands of the agent can read your files and use the network.'
  }
  const what =
    tier === 'none'
      ? 'no sandbox: commands of the agent can read your files and use the network.'
      : `the sandbox is of tier "${tier}".`
  return [what, reason, fix].filter((part) => part !== undefined).join(' ')
}

const networkBy = (proxy: NetworkProxy | undefined): Pick<SandboxSpec, 'network'> =>
  proxy === undefined ? {} : { network: { socket: proxy.socket, port: proxyPort } }

/** A replay is offline. */
async function openProxy(
  { network }: SandboxSettings,
  { replay }: OpenContext,
  problems: string[],
): Promise<NetworkProxy | undefined> {
  if (network.length === 0) return undefined
  if (replay === undefined) return openProxyIn(await makePrivateFolder(), network)
  problems.push(`sandbox.network: ${network.join(', ')} cannot be reached in a replay.`)
  return undefined
}

async function openProxyIn(folder: PrivateFolder, allow: readonly string[]): Promise<NetworkProxy> {
  try {
    const proxy = await openNetworkProxy({ allow, folder: folder.path })
    return {
      ...proxy,
      async close() {
        await proxy.close()
        await folder.remove()
      },
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

/**
 * The folder that this program was loaded from. If commands could change it, their code would run at the next start,
 * outside the sandbox.
 */
function ownProgram(): string {
  const root = realpathSync(fileURLToPath(new URL('../..', import.meta.url)))
  return /^.*?\/node_modules(?=\/)/.exec(root)?.[0] ?? root
}

/** The paths that are in the workspace, with links resolved. */
export function partsOf(workspace: string, paths: readonly string[]): readonly string[] {
  if (!existsSync(workspace)) return []
  const root = realpathSync(workspace)
  return paths.flatMap((path) => {
    const inner = existsSync(path) ? pathInside(root, realpathSync(path)) : undefined
    return inner === undefined || inner === '.' ? [] : [join(root, inner)]
  })
}

/** Remembers the first target of each link, so that an agent cannot uncover it by replacing the link. */
function rememberParts(workspace: string): (paths: readonly string[]) => readonly string[] {
  const firsts = new Map<string, string>()
  return (paths) => {
    for (const path of paths) {
      const [part] = firsts.has(path) ? [] : partsOf(workspace, [path])
      if (part !== undefined) firsts.set(path, part)
    }
    return partsOf(workspace, [...paths, ...paths.flatMap((path) => firsts.get(path) ?? [])])
  }
}

const unique = (...lists: readonly (readonly string[])[]): readonly string[] => [
  ...new Set(lists.flat()),
]

function requireThere(path: string): string {
  if (existsSync(path)) return path
  const message = `sandbox.readOnly: ${path} does not exist. Create it, or remove it from the loop file.`
  throw new LoopError('not-configured', message)
}

/** Maps a path in the checkout to the worktree, if it exists there. */
function inWorktree(path: string, { workspace, checkout }: OpenContext): string {
  const inner = checkout === undefined ? undefined : pathInside(checkout, realpathSync(path))
  if (workspace === undefined || inner === undefined) return path
  const there = join(workspace, inner)
  return existsSync(there) ? there : path
}

function agentCommands(
  sandbox: Sandbox,
  inside: SandboxSpec,
  command: readonly string[],
  socketPath: string,
  path: string,
): AgentCommands {
  const place = withCommand(sandbox, inside, command, path)
  const { tier } = sandbox.report
  const relay: Relay = { socket: socketPath, port: gatewayPort }
  const seen = tier === 'none' ? place : { ...place, gateway: relay }
  return {
    commands: sandbox.commands(seen),
    start: (started) => sandbox.start(seen, started),
    home: tier === 'strong' ? innerHome : undefined,
    url: tier === 'none' ? undefined : `http://127.0.0.1:${gatewayPort}`,
  }
}
