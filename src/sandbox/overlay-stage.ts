/**
 * Overlays for a sandbox: a mount namespace in which folders get a writable layer in memory, and in which
 * bubblewrap is then started. bubblewrap before 0.11 cannot do this itself,
 * and from 0.11 on it cannot limit the size of what is written.
 *
 * 1. The folder on disk is the lower layer only: the kernel never writes to it.
 * 2. All that is written is in one tmpfs of limited size, which goes away with the namespace,
 *    even when everything is killed.
 * 3. Nothing of the command runs before bubblewrap does: this stage starts only programs of the system.
 */

import { findProgram } from './find-program.ts'
import type { SandboxLimits, SandboxOverlay } from './sandbox-type.ts'

/** Programs of the system, by their full paths. */
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

/** The kernel takes folders by relative paths, so that no character in them needs an escape. */
const script = [
  'set -e',
  'mount=$1 mkdir=$2 base=$3 size=$4 count=$5',
  'shift 5',
  '"$mount" -t tmpfs -o "nosuid,nodev,mode=0700,size=$size" tmpfs "$base"',
  'cd "$base"',
  'while [ "$count" -gt 0 ]; do',
  '"$mkdir" -m 0700 "$count" "$count/lower" "$count/upper" "$count/work"',
  '"$mount" --bind "$1" "$count/lower"',
  'options="lowerdir=$count/lower,upperdir=$count/upper,workdir=$count/work"',
  '"$mount" -t overlay -o "nosuid,nodev,userxattr,$options" overlay "$1"',
  'count=$((count - 1))',
  'shift',
  'done',
  'cd /',
  'exec "$@"',
].join('\n')

/** The command to run instead of bubblewrap; it execs bubblewrap, so the process stays the same. */
export function overlayStage(
  { unshare, sh, mount, mkdir }: OverlayTools,
  { folder, lower }: SandboxOverlay,
  { tmpBytes }: Pick<SandboxLimits, 'tmpBytes'>,
): readonly [program: string, ...args: string[]] {
  const given = [mount, mkdir, folder, `${tmpBytes}`, `${lower.length}`, ...lower]
  const namespaces = ['--user', '--map-root-user', '--mount']
  return [unshare, ...namespaces, '--', sh, '-c', script, 'sh', ...given]
}
