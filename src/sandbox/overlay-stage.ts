/**
 * Overlays for a sandbox: a mount namespace in which folders get a writable layer, and in which bubblewrap is
 * then started. bubblewrap before 0.11 cannot do this itself, and from 0.11 on it cannot limit the size of what
 * is written.
 *
 * 1. The folder on disk is the lower layer only: the kernel never writes to it.
 * 2. Writes to dependencies go to one tmpfs of limited size, which disappears with the namespace, even if all
 *    processes are killed. Writes to the workspace go to a folder on disk that the caller passes, and stay there.
 * 3. The command does not run before bubblewrap does: this stage starts only system programs.
 */

import { findProgram } from './find-program.ts'
import type { SandboxLimits, SandboxOverlay } from './sandbox-type.ts'

/** System programs, by absolute path. */
export interface OverlayTools {
  readonly unshare: string
  readonly sh: string
  readonly mount: string
  readonly mkdir: string
}

export function findOverlayTools(
  find: (name: string) => string | undefined = findProgram,
): OverlayTools | undefined {
  const [unshare, sh, mount, mkdir] = ['unshare', 'sh', 'mount', 'mkdir'].map(find)
  if (unshare === undefined || sh === undefined) return undefined
  return mount === undefined || mkdir === undefined ? undefined : { unshare, sh, mount, mkdir }
}

/** Passes relative paths to the kernel, so that no character in them needs escaping. */
const script = [
  'set -e',
  'mount=$1 mkdir=$2 folder=$3 workspace=$4 base=$5 size=$6 count=$7',
  'shift 7',
  'overlay="nosuid,nodev,userxattr"',
  'if [ -n "$folder" ]; then',
  'cd "$folder"',
  '"$mkdir" -p -m 0755 lower upper work',
  '"$mount" --bind "$workspace" lower',
  '"$mount" -t overlay -o "$overlay,lowerdir=lower,upperdir=upper,workdir=work" overlay "$workspace"',
  'fi',
  'if [ -n "$base" ]; then',
  '"$mount" -t tmpfs -o "nosuid,nodev,mode=0700,size=$size" tmpfs "$base"',
  'cd "$base"',
  'fi',
  'while [ "$count" -gt 0 ]; do',
  '"$mkdir" -m 0700 "$count" "$count/lower" "$count/upper" "$count/work"',
  '"$mount" --bind "$1" "$count/lower"',
  'options="lowerdir=$count/lower,upperdir=$count/upper,workdir=$count/work"',
  '"$mount" -t overlay -o "$overlay,$options" overlay "$1"',
  'count=$((count - 1))',
  'shift',
  'done',
  'cd /',
  'exec "$@"',
].join('\n')

export interface StagedOverlays {
  /** `path` has its symlinks resolved. */
  readonly workspace?: { readonly path: string; readonly folder: string } | undefined
  readonly memory?: SandboxOverlay | undefined
}

/** Below the folder of a `WorkspaceOverlay`. */
export const upperName = 'upper'

/** The command to run instead of bubblewrap; it execs bubblewrap, so the process stays the same. */
export function overlayStage(
  { unshare, sh, mount, mkdir }: OverlayTools,
  { workspace, memory }: StagedOverlays,
  { tmpBytes }: Pick<SandboxLimits, 'tmpBytes'>,
): readonly [program: string, ...args: string[]] {
  const { folder = '', lower = [] } = memory ?? {}
  const workspaceArgs = [workspace?.folder ?? '', workspace?.path ?? '']
  const args = [mount, mkdir, ...workspaceArgs, folder, `${tmpBytes}`, `${lower.length}`, ...lower]
  const namespaces = ['--user', '--map-root-user', '--mount']
  return [unshare, ...namespaces, '--', sh, '-c', script, 'sh', ...args]
}
