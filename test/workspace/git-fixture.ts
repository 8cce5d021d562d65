/** Repositories for tests, created with plain git. */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type CreateWorktreeOptions,
  createWorktree,
  findRepository,
  type KnownWorktree,
  openWorktree,
  type Repository,
  type WorktreeWorkspace,
  type WorktreeWorkspaceOptions,
} from '../../src/workspace/index.ts'
import { commitFirst, removeFolder } from '../first-commit.ts'

const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent/loopwright',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@localhost',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@localhost',
}

export interface GitFixture {
  readonly folder: string
  /** The user's checkout. */
  readonly checkout: string
  /** A file that hostile content writes to if it runs. */
  readonly marker: string
  git(...args: readonly string[]): string
  gitIn(folder: string, ...args: readonly string[]): string
  write(path: string, content?: string): void
  commitAll(message?: string): string
  /** Whether hostile content ran. */
  wasRun(): boolean
  /** A hash of the checkout and its refs. */
  fingerprint(): string
  repository(): Promise<Repository>
  create(options?: Partial<CreateWorktreeOptions>): Promise<KnownWorktree>
  open(
    worktree: KnownWorktree,
    options?: Partial<WorktreeWorkspaceOptions>,
  ): Promise<WorktreeWorkspace>
  remove(): void
}

export function createGitFixture(
  initial: Readonly<Record<string, string>> = { 'a.txt': 'a\n' },
): GitFixture {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-git-'))
  const checkout = join(folder, 'project')
  const marker = join(folder, 'MARKER')
  mkdirSync(checkout)
  const gitIn = (at: string, ...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: at,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const git = (...args: readonly string[]): string => gitIn(checkout, ...args)
  const write = (path: string, content = path): void => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    writeFileSync(join(checkout, path), content)
  }
  const commitAll = (message = 'work'): string => {
    git('add', '-A')
    git('commit', '-q', '--allow-empty', '-m', message)
    return git('rev-parse', 'HEAD').trim()
  }
  const repository = (): Promise<Repository> =>
    findRepository(checkout, { ignoreFile: '/nonexistent/loopwright' })
  for (const [path, content] of Object.entries(initial)) write(path, content)
  commitFirst(checkout, environment)
  let made = 0
  return {
    folder,
    checkout,
    marker,
    git,
    gitIn,
    write,
    commitAll,
    wasRun: () => readdirSync(folder).some((name) => name.startsWith('MARKER')),
    fingerprint: () => fingerprintOf(checkout, (path) => isNoise(path)),
    repository,
    async create(options = {}) {
      made += 1
      const known = { key: `run-${made}`, name: 'Fix the tests', repository: await repository() }
      return (await createWorktree({ ...known, ...options })).worktree
    },
    open: async (worktree, options = {}) =>
      openWorktree({ repository: await repository(), worktree, ...options }),
    remove: () => removeFolder(folder),
  }
}

/** What a worktree adds to a repository; everything else must stay unchanged. */
const isNoise = (path: string): boolean =>
  /^\.git\/(worktrees|loopwright|objects|logs\/refs\/heads\/run|refs\/(loopwright|heads\/run))(\/|$)/.test(
    path,
  )

export function fingerprintOf(
  root: string,
  isLeftOut: (path: string) => boolean = () => false,
): string {
  const hash = createHash('sha256')
  const folders = ['']
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder)).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (isLeftOut(path)) continue
      const seen = lstatSync(join(root, path))
      hash.update(`${path} ${seen.mode} ${seen.isDirectory() ? '' : seen.mtimeMs}\0`)
      if (seen.isDirectory()) folders.push(path)
      else if (seen.isSymbolicLink()) hash.update(readlinkSync(join(root, path)))
      else if (seen.isFile()) hash.update(readFileSync(join(root, path)))
    }
  }
  return hash.digest('hex')
}
