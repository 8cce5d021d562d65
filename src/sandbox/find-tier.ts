/**
 * The self-test: which walls this machine has, tried for real. Whatever is in doubt is no wall.
 *
 * As root without control groups nothing holds the number of processes (the kernel ignores that limit
 * for root), so there is no tier for it.
 */

import { homedir } from 'node:os'
import { type Commands } from '../engine/index.ts'
import { isLoopError, textOf } from '../loop/index.ts'
import type { Bubblewrap } from './bubblewrap-launch.ts'
import { type Cgroups, openCgroups } from './cgroups.ts'
import { findProgram } from './find-program.ts'
import { findOverlayTools } from './overlay-stage.ts'
import { killAbandoned, programOf } from './process-group.ts'
import { relayFile } from './relay-file.ts'
import { isWrongProbe, runProbes } from './run-probes.ts'
import type { LimitKind, ProbeResult, SandboxReport } from './sandbox-type.ts'
import { seccompFilter } from './seccomp-filter.ts'
import { findToolchains, type Toolchains } from './toolchains.ts'

/** What the machine is asked; tests have machines of their own. */
export interface Machine {
  readonly platform: string
  readonly uid: number | undefined
  readonly node: string
  readonly toolchains: Toolchains
  /** The same for another PATH than ours; absent: it makes no difference. */
  toolchainsOf?(path: string): Toolchains
  findProgram(name: string): string | undefined
  openCgroups(): Cgroups | undefined
}

/** How commands are started here. */
export type Walls =
  | { readonly type: 'bubblewrap'; readonly bubblewrap: Bubblewrap }
  | { readonly type: 'seatbelt'; readonly sandboxExec: string }

export interface Found {
  readonly report: SandboxReport
  /** Absent in tier `none`. */
  readonly walls?: Walls
}

export type MakeCommands = (walls: Walls, workspace: string) => Commands

export function thisMachine(): Machine {
  const node = process.execPath
  const home = homedir()
  const toolchainsOf = rememberLast((path) =>
    findToolchains({ home, path, node, variables: process.env }),
  )
  return {
    platform: process.platform,
    uid: process.getuid?.(),
    node,
    toolchains: toolchainsOf(process.env['PATH'] ?? ''),
    toolchainsOf,
    findProgram: (name) => findProgram(name),
    openCgroups: () => openCgroups(),
  }
}

const rememberedMax = 20
const rememberedMs = 10_000

/** Looked up at every start of a command; what is installed meanwhile is found soon after. */
function rememberLast(find: (path: string) => Toolchains): (path: string) => Toolchains {
  const known = new Map<string, { readonly found: Toolchains; readonly atMs: number }>()
  return (path) => {
    const before = known.get(path)
    if (before !== undefined && performance.now() - before.atMs < rememberedMs) return before.found
    if (known.size >= rememberedMax) known.clear()
    const found = find(path)
    known.set(path, { found, atMs: performance.now() })
    return found
  }
}

export async function findTier(machine: Machine, makeCommands: MakeCommands): Promise<Found> {
  const startedAt = performance.now()
  const found = await look(machine, makeCommands)
  const durationMs = Math.round(performance.now() - startedAt)
  return { ...found, report: { ...found.report, durationMs } }
}

async function look(machine: Machine, makeCommands: MakeCommands): Promise<Found> {
  switch (machine.platform) {
    case 'linux':
      return lookOnLinux(machine, makeCommands)
    case 'darwin':
      return lookOnMac(machine, makeCommands)
    default:
      return none(
        `There is no sandbox for ${machine.platform}.`,
        'Use Linux, or Windows through WSL2.',
      )
  }
}

async function lookOnLinux(machine: Machine, makeCommands: MakeCommands): Promise<Found> {
  const bwrap = machine.findProgram('bwrap')
  if (bwrap === undefined) {
    return none(
      'bubblewrap is not installed. Namespaces alone would leave all files open.',
      'Install it: apt-get install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap.',
    )
  }
  const cgroups = machine.openCgroups()
  await cgroups?.removeAbandoned()
  await killAbandoned((pid) => programOf(pid) === bwrap)
  if (cgroups === undefined && machine.uid === 0) return none(rootReason, rootFix)
  const limits: LimitKind = cgroups === undefined ? 'rlimit' : 'cgroup'
  const { node } = machine
  const filter = seccompFilter(limits)
  if (filter === undefined) {
    return none(`The calls of ${process.arch} to its kernel are not known.`, 'Use x64 or arm64.')
  }
  const overlayTools = findOverlayTools(machine.findProgram)
  const bubblewrap = { bwrap, cgroups, limits, relay: relayFile(), node, filter, overlayTools }
  const walls: Walls = { type: 'bubblewrap', bubblewrap }
  return judge(machine, walls, limits, makeCommands, [])
}

const rootReason =
  'It runs as root and cannot make control groups: the number of processes could not be limited.'
const rootFix =
  'Run it as an ordinary user, or give it a control group that it may write to (in Docker: ' +
  '--cgroupns=private with a writable /sys/fs/cgroup).'

/** Nothing there keeps processes apart, or has such names: what is left must still be blocked. */
const notOnMac = [
  'reach an abstract socket',
  'see a process of this machine',
  'signal a process of this machine',
  'make a user namespace',
]

async function lookOnMac(machine: Machine, makeCommands: MakeCommands): Promise<Found> {
  const sandboxExec = machine.findProgram('sandbox-exec')
  if (sandboxExec === undefined) {
    return none('There is no sandbox-exec on this Mac.', 'Use Linux for unattended work.')
  }
  return judge(machine, { type: 'seatbelt', sandboxExec }, 'none', makeCommands, notOnMac)
}

async function judge(
  machine: Machine,
  walls: Walls,
  limits: LimitKind,
  makeCommands: MakeCommands,
  excused: readonly string[],
): Promise<Found> {
  let results: readonly ProbeResult[]
  try {
    const given = Object.keys(machine.toolchains.env)
    results = await runProbes((workspace) => makeCommands(walls, workspace), given)
  } catch (error) {
    // That says nothing of sandboxes here.
    if (isLoopError(error, 'store-failed')) throw error
    return none(`No sandbox could be made. ${textOf(error)}`, fixFor(textOf(error)))
  }
  const wrong = results.filter(isWrongProbe).filter(({ name }) => !excused.includes(name))
  if (wrong.length > 0) {
    const names = wrong.map(({ name, found }) => `"${name}" ${found}`).join(', ')
    const fix = 'Report this with the version of bubblewrap and of the kernel.'
    return none(`The sandbox does not hold: ${names}.`, fix, results)
  }
  const report = walls.type === 'bubblewrap' ? strong(limits) : basic
  return { walls, report: { ...report, limits, probes: results, durationMs: 0 } }
}

const strong = (limits: LimitKind): Pick<SandboxReport, 'tier' | 'reason' | 'fix'> => ({
  tier: 'strong',
  reason:
    limits === 'cgroup'
      ? 'bubblewrap works; cgroups enforce limits.'
      : 'bubblewrap works. Memory is limited for each process; the total is only monitored.',
  ...(limits === 'cgroup'
    ? {}
    : {
        fix: 'For limits on all together, start it in a scope: systemd-run --user --scope -p Delegate=yes.',
      }),
})

const basic: Pick<SandboxReport, 'tier' | 'reason' | 'fix'> = {
  tier: 'basic',
  reason:
    'Seatbelt holds, but processes are not kept apart and not limited. Not tested by its makers.',
  fix: 'Use Linux with bubblewrap for unattended work.',
}

function none(reason: string, fix: string, probes: readonly ProbeResult[] = []): Found {
  return { report: { tier: 'none', reason, fix, limits: 'none', probes, durationMs: 0 } }
}

/** The two ways in which systems forbid user namespaces. */
function fixFor(message: string): string {
  if (/uid map|RTM_NEWADDR|namespace|Operation not permitted|Permission denied/i.test(message)) {
    return (
      'User namespaces are forbidden here. On Ubuntu give bwrap an AppArmor profile with "userns,", or ' +
      'run: sysctl kernel.apparmor_restrict_unprivileged_userns=0. In Docker start the container with ' +
      '--security-opt seccomp=unconfined --security-opt apparmor=unconfined.'
    )
  }
  return 'Run: bwrap --unshare-all --ro-bind / / true, and see what it says.'
}
