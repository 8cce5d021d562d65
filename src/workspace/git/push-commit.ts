/**
 * The one place from which work leaves this machine: a commit is pushed to a branch of a remote, because a
 * person said so.
 *
 * 1. Nothing of the repository is run or believed but the address of the remote: git works in a directory
 *    of our own over its objects, so there are no hooks, helpers, filters or settings of the repository.
 * 2. The person's own settings count, for without them nobody can log in; nobody is asked for anything.
 * 3. Only https, ssh and folders of this machine are spoken to. A branch there is never moved back.
 */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { findGit } from './find-git.ts'
import { makeOwnDirectory } from './own-directory.ts'
import { ownMark } from './own-mark.ts'
import { projectFolders, type Repository } from './repository.ts'
import { configuration, runGit } from './run-git.ts'
import { GitError, runProgram } from './run-program.ts'
import { worktreeFiles } from './worktree-files.ts'

export interface Remote {
  readonly name: string
  readonly url: string
}

const timeoutMs = 120_000

/** Rejects with `bad-request` where there is none of that name, or it is at no address that can be used. */
export async function findRemote(repository: Repository, name: string): Promise<Remote> {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(name)) {
    const message = `${JSON.stringify(name.slice(0, 100))} is no name of a remote.`
    throw new LoopError('bad-request', `${message} See which there are: git remote -v`)
  }
  const urls = await Promise.all(
    ['pushurl', 'url'].map(async (key) => {
      const { exitCode, stdout } = await runGit({
        at: { gitDir: repository.commonDir },
        command: 'config',
        options: ['--local', '--no-includes', '--get'],
        operands: [`remote.${name}.${key}`],
        answers: [0, 1],
      })
      return exitCode === 0 ? stdout.toString('utf8').trim() : ''
    }),
  )
  const url = urls.find((one) => one !== '')
  if (url === undefined) {
    const message = `${repository.home} has no remote "${name}".`
    throw new LoopError('bad-request', `${message} Add it: git remote add ${name} <address>`)
  }
  if (isUsable(url)) return { name, url }
  const message = `The remote "${name}" is at an address that is not used: only https, ssh and folders are.`
  throw new LoopError('bad-request', `${message} Change it: git remote set-url ${name} <address>`)
}

/** No helpers (`ext::`), nothing that could be an option. */
const isUsable = (url: string): boolean =>
  /^https:\/\/[^\s-]\S*$/.test(url) ||
  /^ssh:\/\/[^\s-]\S*$/.test(url) ||
  /^(file:\/\/)?\/\S*$/.test(url) ||
  /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:[^\s:-]\S*$/.test(url)

export async function pushCommit(
  repository: Repository,
  { url, name }: Remote,
  { commit, branch }: { readonly commit: string; readonly branch: string },
): Promise<void> {
  const { program, folder } = await findGit(projectFolders(repository))
  const path = join(repository.commonDir, 'loopwright', 'push')
  const own = await makeOwnDirectory(worktreeFiles, { repository, path, exact: true })
  const { objectsDir = '' } = own.at('/')
  const args = ['push', '--porcelain', '--no-verify', '--no-signed', '--end-of-options', url]
  const env = { ...loginEnvironment(folder), GIT_DIR: own.path, GIT_OBJECT_DIRECTORY: objectsDir }
  try {
    const to = `${commit}:refs/heads/${branch}`
    await runProgram({ name: 'git push', program, args: [...args, to], env }, { timeoutMs })
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const message = `${branch} could not be pushed to "${name}": ${withoutSecrets(error.message)}.`
    const advice = `Try it yourself to see why: git push ${name} ${branch}`
    throw new LoopError('workspace-failed', `${message} ${advice}`, { cause: error })
  }
}

/** What a person logs in with, and nothing else of ours. */
const passedOn = ['SSH_AUTH_SOCK', 'XDG_CONFIG_HOME', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY']

/** For git that speaks to another machine on the person's behalf. */
export function loginEnvironment(gitFolder: string): Record<string, string> {
  const given = passedOn.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(given),
    ...ownMark(),
    HOME: homedir(),
    LC_ALL: 'C',
    PATH: [gitFolder, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    ...configuration({ 'core.hooksPath': '/dev/null', 'push.recurseSubmodules': 'no' }),
  }
}

/** An address may have a login in it. */
const withoutSecrets = (text: string): string =>
  text.replaceAll(/(\w+:\/\/)[^/@\s]+@/g, '$1[secret]@').replace(/[.\s]+$/, '')
