/** Opens the best sandbox that works on this machine, after a self-test. */

import { mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Command, Commands } from '../engine/index.ts'
import { defined, LoopError } from '../loop/index.ts'
import { type PreparedSandbox, resolveSandboxWorkspace } from './bubblewrap-args.ts'
import { launchInBubblewrap } from './bubblewrap-launch.ts'
import { findOverlay } from './find-overlay.ts'
import {
  type DetectedSandbox,
  findTier,
  type Machine,
  type SandboxBackend,
  thisMachine,
} from './find-tier.ts'
import { gitMounts } from './git-mounts.ts'
import { findObservation } from './observe/find-observation.ts'
import { upperName } from './overlay-stage.ts'
import { launchPlain } from './plain-commands.ts'
import { type Launched, runCommand } from './run-command.ts'
import {
  defaultLimits,
  type ObservationReport,
  type OverlayReport,
  type Sandbox,
  type SandboxReport,
  type SandboxSpec,
  type Tier,
  type WorkspaceOverlay,
} from './sandbox-type.ts'
import { launchInSeatbelt } from './seatbelt-launch.ts'
import { findShownPaths } from './shown-paths.ts'
import { isWithin, type Toolchains } from './toolchains.ts'

/** Options of `openSandbox`. */
export interface SandboxOptions {
  /** The minimum tier; a lower one is rejected with `not-available`, the reason and the fix. Default: `none`. */
  readonly requireTier?: Tier
  /** Default: the current machine, which is tested once per process. */
  readonly machine?: Machine
}

const strength: Readonly<Record<Tier, number>> = { none: 0, basic: 1, strong: 2 }

interface TestedMachine {
  readonly machine: Machine
  readonly detected: DetectedSandbox
  overlay(): Promise<OverlayReport>
  observes(folder?: string): Promise<ObservationReport>
}

let current: Promise<TestedMachine> | undefined

/** Tests which sandbox tier this machine has and returns a sandbox of that tier. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { requireTier = 'none' } = options
  const { machine, detected, overlay, observes } = await testOnce(options.machine)
  const { report, backend } = detected
  requireStrength(report, requireTier)
  return createSandbox(report, { overlay, observes }, createLauncher(backend, machine))
}

/** Runs commands as plain processes, even if this machine has a sandbox. */
export function openUnsandboxed(): Sandbox {
  const report: SandboxReport = {
    tier: 'none',
    reason: 'The sandbox is turned off.',
    limits: 'none',
    probes: [],
    durationMs: 0,
  }
  const reason = 'Nothing is mounted without a sandbox.'
  const start = createLauncher(undefined, { toolchains: { mounts: [], links: [], env: {} } })
  const none = {
    overlay: async () => ({ mode: 'copy', reason }) as const,
    observes: async () => ({ reads: 'none', writes: 'none', reason }) as const,
  }
  return createSandbox(report, none, start)
}

function createSandbox(
  report: SandboxReport,
  { overlay, observes }: Pick<Sandbox, 'overlay' | 'observes'>,
  launch: (spec: SandboxSpec) => Start,
): Sandbox {
  return {
    report,
    overlay,
    observes,
    commands(spec) {
      const start = launch(spec)
      return { run: (command, signal) => runCommand(start, command, signal) }
    },
    start(spec, command) {
      const launched = launch(spec)({ ...command, keepsInput: true })
      const { child } = launched
      // Nothing else kills the processes it leaves behind, or stops it at a limit.
      child.on('error', () => {}).once('exit', () => void launched.kill())
      void launched.exceeded?.then(() => launched.kill())
      return launched
    },
  }
}

async function testOnce(machine: Machine | undefined): Promise<TestedMachine> {
  if (machine !== undefined) return testMachine(machine)
  current ??= testMachine(thisMachine())
  return current
}

async function testMachine(machine: Machine): Promise<TestedMachine> {
  const { toolchains } = machine
  const createCommands = (backend: SandboxBackend, spec: SandboxSpec): Commands => {
    const start = createLauncher(backend, machine)(spec)
    return { run: (command, signal) => runCommand(start, command, signal) }
  }
  const detected = await findTier(machine, (one, workspace) => createCommands(one, { workspace }))
  const { report, backend } = detected
  let overlayReport: Promise<OverlayReport> | undefined
  const overlay = (): Promise<OverlayReport> => {
    const variables = Object.keys(toolchains.env)
    overlayReport ??= findOverlay({ tier: report.tier, backend, variables, createCommands })
    return overlayReport
  }
  const observations = new Map<string, Promise<ObservationReport>>()
  return {
    machine,
    detected,
    overlay,
    observes(folder = tmpdir()) {
      const commands = (spec: SandboxSpec): Commands => {
        if (backend === undefined) throw new Error('There is no sandbox.')
        return createCommands(backend, spec)
      }
      const known =
        observations.get(folder) ?? findObservation({ folder, overlay, createCommands: commands })
      observations.set(folder, known)
      return known
    },
  }
}

function requireStrength({ tier, reason, fix }: SandboxReport, required: Tier): void {
  if (strength[tier] >= strength[required]) return
  const message = `This needs a sandbox of tier "${required}", but the available tier is "${tier}". ${reason} ${fix ?? ''}`
  throw new LoopError('not-available', message.trim())
}

type Start = (command: Command & { readonly keepsInput?: boolean }) => Launched

/** The outer call computes what all commands of a sandbox have in common. */
function createLauncher(
  backend: SandboxBackend | undefined,
  machine: Pick<Machine, 'toolchains' | 'findToolchains'>,
): (spec: SandboxSpec) => Start {
  return (spec) => {
    // Without a sandbox nothing is protected, so no path has to be rejected.
    if (backend === undefined) {
      return (command) =>
        launchPlain({
          ...command,
          cwd: command.cwd ?? spec.workspace,
          env: { ...pathVariable(spec), ...spec.env, ...command.env },
        })
    }
    const { path } = spec
    const own = path === undefined ? undefined : machine.findToolchains?.(path)
    const prepared = prepare(spec, own ?? machine.toolchains)
    return (command) =>
      backend.type === 'bubblewrap'
        ? launchInBubblewrap(backend.bubblewrap, prepared, command)
        : launchInSeatbelt(backend.sandboxExec, prepared, command)
  }
}

function pathVariable({ programs = [], path }: SandboxSpec): Readonly<Record<string, string>> {
  if (programs.length === 0) return defined({ PATH: path })
  return { PATH: [...programs, path ?? process.env['PATH'] ?? ''].join(delimiter) }
}

function prepare(spec: SandboxSpec, toolchains: Toolchains): PreparedSandbox {
  const real = resolveSandboxWorkspace(spec.workspace)
  const allLimits = { ...defaultLimits, ...spec.limits }
  const git = gitMounts(real)
  const shown = findShownPaths({
    workspace: real,
    alias: spec.workspace,
    readOnly: spec.readOnly ?? [],
    hide: [...(spec.hide ?? []), ...(toolchains.hide ?? [])],
    others: [...toolchains.mounts, ...git.readOnly],
  })
  return { ...spec, ...resolveOverlays(spec, real), real, allLimits, toolchains, git, shown }
}

/** Resolves symlinks, as for read-only paths: an overlay must be mounted over the real folder. */
function resolveOverlays(
  { overlay, workspaceOverlay, mounts = [] }: SandboxSpec,
  workspace: string,
): Pick<SandboxSpec, 'overlay' | 'workspaceOverlay' | 'mounts'> {
  if (overlay === undefined && workspaceOverlay === undefined) return {}
  return {
    ...(overlay && {
      overlay: { ...overlay, lower: overlay.lower.map((path) => realpathSync(path)) },
    }),
    ...(workspaceOverlay && { workspaceOverlay: createUpperFolder(workspaceOverlay, workspace) }),
    mounts: mounts.map(({ from, to }) => ({ from: realpathSync(from), to })),
  }
}

function createUpperFolder({ folder }: WorkspaceOverlay, workspace: string): WorkspaceOverlay {
  const real = realpathSync(folder)
  if (!isWithin(real, workspace) && !isWithin(workspace, real)) {
    mkdirSync(join(real, upperName), { recursive: true, mode: 0o755 })
    return { folder: real }
  }
  const message = `${folder} cannot hold the changes to ${workspace}: one is inside the other. Use a folder outside of it.`
  throw new LoopError('bad-request', message)
}
