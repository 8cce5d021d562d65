/** Opens the best sandbox that this machine has, after it was tried. */

import { mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Command, Commands } from '../engine/index.ts'
import { defined, LoopError } from '../loop/index.ts'
import { type PreparedPlace, realWorkspace } from './bubblewrap-args.ts'
import { launchInBubblewrap } from './bubblewrap-launch.ts'
import { findOverlay } from './find-overlay.ts'
import { type Found, findTier, type Machine, thisMachine, type Walls } from './find-tier.ts'
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
  type SandboxPlace,
  type SandboxReport,
  type Tier,
  type WorkspaceOverlay,
} from './sandbox-type.ts'
import { launchInSeatbelt } from './seatbelt-launch.ts'
import { findShownPaths } from './shown-paths.ts'
import { isWithin, type Toolchains } from './toolchains.ts'

/** Options of `openSandbox`. */
export interface SandboxOptions {
  /** At least this; else it rejects with `not-available`, the reason and the fix. `none` by default. */
  readonly requireTier?: Tier
  /** Another than the one we are on, which is tried once for each process. */
  readonly machine?: Machine
}

const strength: Readonly<Record<Tier, number>> = { none: 0, basic: 1, strong: 2 }

interface Tried {
  readonly machine: Machine
  readonly found: Found
  overlay(): Promise<OverlayReport>
  observes(folder?: string): Promise<ObservationReport>
}

let tried: Promise<Tried> | undefined

/** Tests which sandbox tier this machine has and returns a sandbox of that tier. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { requireTier = 'none' } = options
  const { machine, found, overlay, observes } = await findOnce(options.machine)
  requireStrength(found.report, requireTier)
  return sandboxOf(found.report, { overlay, observes }, launcher(found.walls, machine))
}

/** For those who want none, whatever there is: commands are plain processes. */
export function openWithoutWalls(): Sandbox {
  const report: SandboxReport = {
    tier: 'none',
    reason: 'None was wanted.',
    limits: 'none',
    probes: [],
    durationMs: 0,
  }
  const reason = 'Nothing is mounted without a sandbox.'
  const start = launcher(undefined, { toolchains: { mounts: [], links: [], env: {} } })
  const none = {
    overlay: async () => ({ mode: 'copy', reason }) as const,
    observes: async () => ({ reads: 'none', writes: 'none', reason }) as const,
  }
  return sandboxOf(report, none, start)
}

function sandboxOf(
  report: SandboxReport,
  { overlay, observes }: Pick<Sandbox, 'overlay' | 'observes'>,
  launch: (place: SandboxPlace) => Start,
): Sandbox {
  return {
    report,
    overlay,
    observes,
    commands(place) {
      const start = launch(place)
      return { run: (command, signal) => runCommand(start, command, signal) }
    },
    start(place, command) {
      const launched = launch(place)({ ...command, keepsInput: true })
      const { child } = launched
      // What it left behind, and what it may not use, is nobody else's to look after.
      child.on('error', () => {}).once('exit', () => void launched.kill())
      void launched.exceeded?.then(() => launched.kill())
      return launched
    },
  }
}

async function findOnce(given: Machine | undefined): Promise<Tried> {
  if (given !== undefined) return tryOut(given)
  tried ??= tryOut(thisMachine())
  return tried
}

async function tryOut(machine: Machine): Promise<Tried> {
  const { toolchains } = machine
  const commandsIn = (walls: Walls, place: SandboxPlace): Commands => {
    const start = launcher(walls, machine)(place)
    return { run: (command, signal) => runCommand(start, command, signal) }
  }
  const found = await findTier(machine, (walls, workspace) => commandsIn(walls, { workspace }))
  const { report, walls } = found
  let triedOverlay: Promise<OverlayReport> | undefined
  const overlay = (): Promise<OverlayReport> => {
    const given = Object.keys(toolchains.env)
    triedOverlay ??= findOverlay({ tier: report.tier, walls, given, commandsIn })
    return triedOverlay
  }
  const observed = new Map<string, Promise<ObservationReport>>()
  return {
    machine,
    found,
    overlay,
    observes(folder = tmpdir()) {
      const commands = (place: SandboxPlace): Commands => {
        if (walls === undefined) throw new Error('There is no sandbox.')
        return commandsIn(walls, place)
      }
      const known =
        observed.get(folder) ?? findObservation({ folder, overlay, commandsIn: commands })
      observed.set(folder, known)
      return known
    },
  }
}

function requireStrength({ tier, reason, fix }: SandboxReport, required: Tier): void {
  if (strength[tier] >= strength[required]) return
  const message = `This needs a sandbox of tier "${required}", and there is "${tier}". ${reason} ${fix ?? ''}`
  throw new LoopError('not-available', message.trim())
}

type Start = (command: Command & { readonly keepsInput?: boolean }) => Launched

/** The first call works out what all commands of a place have in common. */
function launcher(
  walls: Walls | undefined,
  machine: Pick<Machine, 'toolchains' | 'toolchainsOf'>,
): (place: SandboxPlace) => Start {
  return (place) => {
    // Where nothing is protected there is nothing to refuse either.
    if (walls === undefined) {
      return (command) =>
        launchPlain({
          ...command,
          cwd: command.cwd ?? place.workspace,
          env: { ...pathOf(place), ...place.env, ...command.env },
        })
    }
    const { path } = place
    const own = path === undefined ? undefined : machine.toolchainsOf?.(path)
    const prepared = prepare(place, own ?? machine.toolchains)
    return (command) =>
      walls.type === 'bubblewrap'
        ? launchInBubblewrap(walls.bubblewrap, prepared, command)
        : launchInSeatbelt(walls.sandboxExec, prepared, command)
  }
}

function pathOf({ programs = [], path }: SandboxPlace): Readonly<Record<string, string>> {
  if (programs.length === 0) return defined({ PATH: path })
  return { PATH: [...programs, path ?? process.env['PATH'] ?? ''].join(delimiter) }
}

function prepare(place: SandboxPlace, toolchains: Toolchains): PreparedPlace {
  const real = realWorkspace(place.workspace)
  const allLimits = { ...defaultLimits, ...place.limits }
  const git = gitMounts(real)
  const shown = findShownPaths({
    workspace: real,
    alias: place.workspace,
    readOnly: place.readOnly ?? [],
    hide: [...(place.hide ?? []), ...(toolchains.hide ?? [])],
    others: [...toolchains.mounts, ...git.readOnly],
  })
  return { ...place, ...overlaid(place, real), real, allLimits, toolchains, git, shown }
}

/** Without links on the way, as what is shown read-only: a mount over one of its folders covers it. */
function overlaid(
  { overlay, workspaceOverlay, mounts = [] }: SandboxPlace,
  workspace: string,
): Pick<SandboxPlace, 'overlay' | 'workspaceOverlay' | 'mounts'> {
  if (overlay === undefined && workspaceOverlay === undefined) return {}
  return {
    ...(overlay && {
      overlay: { ...overlay, lower: overlay.lower.map((path) => realpathSync(path)) },
    }),
    ...(workspaceOverlay && { workspaceOverlay: upperFor(workspaceOverlay, workspace) }),
    mounts: mounts.map(({ from, to }) => ({ from: realpathSync(from), to })),
  }
}

function upperFor({ folder }: WorkspaceOverlay, workspace: string): WorkspaceOverlay {
  const real = realpathSync(folder)
  if (!isWithin(real, workspace) && !isWithin(workspace, real)) {
    mkdirSync(join(real, upperName), { recursive: true, mode: 0o755 })
    return { folder: real }
  }
  const message = `${folder} cannot hold the changes to ${workspace}: one is inside the other. Choose a folder outside of it.`
  throw new LoopError('bad-request', message)
}
