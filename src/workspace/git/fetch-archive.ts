/**
 * One commit of a remote repository as an archive, fetched without running anything of it.
 *
 * 1. It is fetched because a person approved this address and this commit. The user's own git settings apply,
 *    since logins need them; git never prompts.
 * 2. Nothing is checked out: no hooks, filters or submodules, and no settings of that repository.
 * 3. Only https and ssh are used, or what the user's own settings replace them with.
 */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Signal } from '../../loop/index.ts'
import { findGit } from './find-git.ts'
import { loginEnvironment } from './push-commit.ts'
import { configuration, runGit } from './run-git.ts'
import { GitError, runProgram } from './run-program.ts'

export interface ArchiveRequest {
  /** Tried in order. */
  readonly urls: readonly string[]
  readonly commit: string
  /** An empty folder for it. */
  readonly folder: string
  /** Prefix of the paths in the archive. */
  readonly prefix: string
  readonly signal: Signal
}

const timeoutMs = 5 * 60_000
const archiveBytesMax = 512 * 1024 * 1024
const wanted = 'refs/loopwright/wanted'

/** The path of a `.tar.gz`. Rejects with a `GitError`. */
export async function fetchArchive(request: ArchiveRequest): Promise<string> {
  const { commit, folder, prefix, signal } = request
  const gitDir = join(folder, 'repository')
  await mkdir(gitDir, { recursive: true })
  const at = { gitDir }
  await runGit({ at, command: 'init', options: ['--quiet', '--bare', '--template='], signal })
  await fetchFromAny(request, gitDir)
  const { stdout } = await runGit({
    at,
    command: 'archive',
    options: ['--format=tar', `--prefix=${prefix}/`],
    operands: [commit],
    timeoutMs,
    outputBytesMax: archiveBytesMax,
    signal,
  })
  const path = join(folder, 'archive.tar.gz')
  await writeFile(path, await promisify(gzip)(stdout), { mode: 0o600 })
  return path
}

async function fetchFromAny(
  { urls, commit, signal }: ArchiveRequest,
  gitDir: string,
): Promise<void> {
  let last: unknown
  for (const url of urls) {
    // Some servers only serve commits that a branch or a tag points to.
    for (const refs of [
      [`${commit}:${wanted}`],
      ['refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'],
    ]) {
      try {
        await fetchRefs(gitDir, url, refs, signal)
        const found = { at: { gitDir }, command: 'cat-file', options: ['-e'], signal }
        await runGit({ ...found, operands: [`${commit}^{commit}`] })
        return
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof GitError)) throw error
        last = error
      }
    }
  }
  throw last
}

async function fetchRefs(
  gitDir: string,
  url: string,
  refs: readonly string[],
  signal: Signal,
): Promise<void> {
  const { program, folder } = await findGit([gitDir])
  const depth = refs.length === 1 ? ['--depth=1'] : []
  const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head']
  const args = ['fetch', ...options, ...depth, '--end-of-options', url, ...refs]
  const env = {
    ...loginEnvironment(folder),
    GIT_DIR: gitDir,
    ...configuration({
      'core.hooksPath': '/dev/null',
      'transfer.fsckObjects': 'true',
      'fetch.recurseSubmodules': 'no',
      'gc.auto': '0',
      'maintenance.auto': 'false',
    }),
  }
  await runProgram({ name: 'git fetch', program, args, env }, { timeoutMs, signal })
}
