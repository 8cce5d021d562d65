/**
 * Whether checks can write to dependencies without changing them on disk: tries an overlay over a test folder,
 * from inside a sandbox in which all probes of the self-test must pass as well.
 */

import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Commands } from '../engine/index.ts'
import { textOf } from '../loop/index.ts'
import type { SandboxBackend } from './find-tier.ts'
import { isWrongProbe, runProbes } from './run-probes.ts'
import type { OverlayReport, SandboxSpec, Tier } from './sandbox-type.ts'

export interface OverlayTrial {
  readonly tier: Tier
  /** Absent in tier `none`. */
  readonly backend: SandboxBackend | undefined
  /** The names of variables that every command gets. */
  readonly variables: readonly string[]
  createCommands(backend: SandboxBackend, spec: SandboxSpec): Commands
}

/** What programs do to their dependencies. Prints `ok` if all of it works. */
const writes = [
  'set -e',
  'cd node_modules',
  'mkdir .cache && echo x > .cache/made',
  'echo more >> a/file',
  'test "$(cat a/file)" = "lower\nmore"',
  // Recreating a removed folder fails on file systems without extended attributes.
  'rm -r gone && mkdir gone && test -z "$(ls gone)"',
  'mv a b && chmod 700 b/file && ln b/file b/linked',
  'test ! -e a && test "$(cat ../node_modules/b/linked)" = "lower\nmore"',
  'echo ok',
].join('\n')

const timeoutMs = 20_000

export async function findOverlay(trial: OverlayTrial): Promise<OverlayReport> {
  const { tier, backend } = trial
  if (backend?.type !== 'bubblewrap' || tier !== 'strong') {
    return {
      mode: 'copy',
      reason: `Overlays need a sandbox of tier strong; this one is of tier ${tier}.`,
    }
  }
  if (backend.bubblewrap.overlayTools === undefined) {
    return {
      mode: 'scratch',
      reason: 'unshare and mount, which overlays need, are not installed.',
      fix: 'Install util-linux.',
    }
  }
  const problem = await tryOverlay(trial, backend).catch((error: unknown) => textOf(error))
  if (problem === undefined) return { mode: 'overlay', reason: 'An overlay was tried and works.' }
  return {
    mode: 'scratch',
    reason: `An overlay was tried and does not work: ${problem.replace(/\.+$/, '')}.`,
    fix: 'Overlays need Linux 6.6 or later, and permission for unshare to create user namespaces.',
  }
}

/** Undefined: it works. */
async function tryOverlay(
  trial: OverlayTrial,
  backend: SandboxBackend,
): Promise<string | undefined> {
  let problem: string | undefined
  const results = await runProbes(
    (workspace) => ({
      run: async (command, signal) => {
        const spec = await createTrialFolders(workspace)
        const commands = trial.createCommands(backend, spec)
        const written = await commands.run(
          { program: 'sh', args: ['-c', writes], timeoutMs },
          signal,
        )
        if (written.stdout !== 'ok\n') problem = written.stderr.trim() || 'files are not writable'
        else if (!(await isUnchanged(spec))) problem = 'the folder on disk was changed'
        return commands.run(command, signal)
      },
    }),
    trial.variables,
  )
  const wrong = results.filter(isWrongProbe).map(({ name }) => `"${name}"`)
  return wrong.length > 0 ? `the sandbox fails these probes with it: ${wrong.join(', ')}` : problem
}

async function createTrialFolders(workspace: string): Promise<SandboxSpec> {
  const base = join(await realpath(workspace), '..')
  const layer = join(base, 'layer')
  const folder = join(base, 'overlay')
  const from = join(layer, 'node_modules')
  const to = join(workspace, 'node_modules')
  for (const one of [folder, to, join(from, 'a'), join(from, 'gone')]) {
    await mkdir(one, { recursive: true })
  }
  for (const file of ['a/file', 'gone/file']) await writeFile(join(from, file), 'lower\n')
  return {
    workspace,
    readOnly: [layer],
    overlay: { folder, lower: [layer] },
    mounts: [{ from, to }],
  }
}

async function isUnchanged({ overlay, mounts }: SandboxSpec): Promise<boolean> {
  const [from = '', folder = ''] = [mounts?.[0]?.from, overlay?.folder]
  const names = await readdir(from, { recursive: true })
  return (
    names.toSorted().join(' ') === 'a a/file gone gone/file' &&
    (await readFile(join(from, 'a/file'), 'utf8')) === 'lower\n' &&
    (await readdir(folder)).length === 0
  )
}
