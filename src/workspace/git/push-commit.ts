/**
 * The only place from which work leaves this machine: pushes a commit to a branch of a remote, at the user's
 * request.
 *
 * 1. Of the repository's settings, only the URL of the remote is used: git runs in a private git directory over
 *    its objects, without hooks, helpers, filters or settings of the repository.
 * 2. The user's own git settings apply, because logins need them; git never prompts.
 * 3. Only https, ssh and local folders are allowed. A push is never forced.
 */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { worktreeFiles } from '../worktree/worktree-files.ts'
import { findGit } from './find-git.ts'
import { createPrivateGitDir } from './private-git-dir.ts'
import { markVariables } from './process-mark.ts'
import { listProjectFolders, type Repository } from './repository.ts'
import { configuration, runGit } from './run-git.ts'
import { GitError, runProgram } from './run-program.ts'

export interface Remote {
  readonly name: string
  readonly url: string
}

const timeoutMs = 120_000

/** Rejects with `bad-request` if the remote does not exist or its URL is not allowed. */
export async function findRemote(repository: Repository, name: string): Promise<Remote> {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(name)) {
    const message = `${JSON.stringify(name.slice(0, 100))} is not a valid name of a remote.`
    throw new LoopError('bad-request', `${message} To list the remotes, run: git remote -v`)
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
    throw new LoopError('bad-request', `${message} Add it: git remote add ${name} <url>`)
  }
  if (isUsable(url)) return { name, url }
  const message = `The URL of the remote "${name}" is not allowed: only https, ssh and local folders are.`
  throw new LoopError('bad-request', `${message} Change it: git remote set-url ${name} <url>`)
}

/** Excludes remote helpers (`ext::`) and anything that git could parse as an option. */
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
  const { program, folder } = await findGit(listProjectFolders(repository))
  const path = join(repository.commonDir, 'loopwright', 'push')
  const own = await createPrivateGitDir(worktreeFiles, { repository, path, exact: true })
  const { objectsDir = '' } = own.at('/')
  const args = ['push', '--porcelain', '--no-verify', '--no-signed', '--end-of-options', url]
  const env = { ...loginEnvironment(folder), GIT_DIR: own.path, GIT_OBJECT_DIRECTORY: objectsDir }
  try {
    const to = `${commit}:refs/heads/${branch}`
    await runProgram({ name: 'git push', program, args: [...args, to], env }, { timeoutMs })
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const message = `Could not push ${branch} to "${name}": ${withoutSecrets(error.message)}.`
    const advice = `To see the details, run: git push ${name} ${branch}`
    throw new LoopError('workspace-failed', `${message} ${advice}`, { cause: error })
  }
}

/** The variables that a login needs. */
const loginVariables = [
  'SSH_AUTH_SOCK',
  'XDG_CONFIG_HOME',
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
]

/** The environment for git commands that connect to a remote on the user's behalf. */
export function loginEnvironment(gitFolder: string): Record<string, string> {
  const variables = loginVariables.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(variables),
    ...markVariables(),
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

/** A URL may contain credentials. */
const withoutSecrets = (text: string): string =>
  text.replaceAll(/(\w+:\/\/)[^/@\s]+@/g, '$1[secret]@').replace(/[.\s]+$/, '')
