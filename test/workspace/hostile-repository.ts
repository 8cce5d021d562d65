/** Everything in a repository or a work tree that makes plain git start a program. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GitFixture } from './git-fixture.ts'

const hookNames =
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change'.split(
    ' ',
  )

/** A program that leaves a mark and then behaves normally. */
export function trap(fixture: GitFixture, name: string): string {
  const path = join(fixture.folder, `trap-${name}`)
  writeFileSync(
    path,
    `#!/bin/sh\necho "${name} $*" >> '${fixture.marker}-${name}'\ncat 2>/dev/null\nexit 0\n`,
  )
  chmodSync(path, 0o755)
  return path
}

export function put(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

/** Configures a repository to start programs, as a user may have been tricked to do. */
export function makeSettingsHostile(fixture: GitFixture): void {
  const own = join(fixture.checkout, '.git')
  for (const folder of ['hooks', 'other-hooks']) {
    for (const hook of hookNames) {
      put(join(own, folder, hook), `#!/bin/sh\ntouch '${fixture.marker}-hook-${hook}'\n`, 0o755)
    }
  }
  const set = (key: string, value: string): void => {
    fixture.git('config', '--local', key, value)
  }
  set('core.hooksPath', join(own, 'other-hooks'))
  for (const [key, name] of [
    ['core.fsmonitor', 'fsmonitor'],
    ['core.sshCommand', 'ssh'],
    ['core.gitProxy', 'proxy'],
    ['core.askPass', 'askpass'],
    ['core.editor', 'editor'],
    ['core.pager', 'pager'],
    ['core.alternateRefsCommand', 'alternate'],
    ['credential.helper', 'credential'],
    ['diff.external', 'diff-external'],
    ['diff.d.textconv', 'textconv'],
    ['diff.d.command', 'diff-command'],
    ['merge.m.driver', 'merge'],
    ['filter.f.clean', 'clean'],
    ['filter.f.smudge', 'smudge'],
    ['filter.p.process', 'process'],
    ['gpg.program', 'gpg'],
    ['uploadpack.packObjectsHook', 'pack'],
    ['pager.status', 'pager-status'],
    ['interactive.diffFilter', 'diff-filter'],
  ] as const) {
    set(key, trap(fixture, name))
  }
  set('filter.f.required', 'true')
  set('commit.gpgSign', 'true')
  set('submodule.recurse', 'true')
  set('status.submoduleSummary', 'true')
  set('protocol.ext.allow', 'always')
  set('remote.origin.url', `ext::${trap(fixture, 'remote')}`)
  set('remote.origin.promisor', 'true')
  set('remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*')
  for (const command of ['status', 'diff', 'worktree', 'add', 'update-ref']) {
    set(`alias.${command}`, `!${trap(fixture, `alias-${command}`)}`)
  }
  put(join(own, 'included'), `[core]\n\tfsmonitor = ${trap(fixture, 'included')}\n`)
  set('include.path', 'included')
  set('includeIf.gitdir:/**.path', 'included')
  put(join(own, 'objects', 'info', 'alternates'), '/nonexistent/loopwright/objects\n')
  put(join(own, 'info', 'attributes'), '* filter=f diff=d merge=m\n')
}

export const hostileAttributes = '* filter=f diff=d merge=m text eol=crlf ident\n*.p filter=p\n'

/** Writes what an agent can write: anything except the repository itself. */
export function makeContentHostile(fixture: GitFixture, workTree: string): void {
  put(join(workTree, '.gitattributes'), hostileAttributes)
  put(
    join(workTree, '.gitmodules'),
    `[submodule "s"]\n\tpath = s\n\turl = ext::${trap(fixture, 'submodule')}\n\tupdate = !${trap(fixture, 'update')}\n`,
  )
  put(join(workTree, '.gitconfig'), `[core]\n\tfsmonitor = ${trap(fixture, 'home')}\n`)
  const config = (name: string): string =>
    `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${trap(fixture, name)}\n\thooksPath = ${join(workTree, 'hooks')}\n[filter "f"]\n\tclean = ${trap(fixture, `${name}-clean`)}\n`
  for (const hook of hookNames) {
    put(join(workTree, 'hooks', hook), `#!/bin/sh\ntouch '${fixture.marker}-own-${hook}'\n`, 0o755)
  }
  // A repository with a commit and hostile settings, and another one inside it.
  for (const nested of ['nested', 'nested/inner']) {
    mkdirSync(join(workTree, nested), { recursive: true })
    put(join(workTree, nested, 'file.p'), 'x')
    fixture.gitIn(join(workTree, nested), 'init', '-q')
    fixture.gitIn(join(workTree, nested), 'add', 'file.p')
    fixture.gitIn(join(workTree, nested), 'commit', '-q', '-m', 'x')
    put(join(workTree, nested, '.git', 'config'), config('nested'))
    put(join(workTree, nested, 'file.p'), 'changed')
  }
  // One whose .git is a file that points to a folder of the work tree.
  put(join(workTree, 'elsewhere', 'HEAD'), 'ref: refs/heads/main\n')
  put(join(workTree, 'elsewhere', 'config'), config('pointer'))
  mkdirSync(join(workTree, 'elsewhere', 'objects'), { recursive: true })
  mkdirSync(join(workTree, 'elsewhere', 'refs'), { recursive: true })
  put(join(workTree, 'pointed', '.git'), `gitdir: ${join(workTree, 'elsewhere')}\n`)
  put(join(workTree, 'pointed', 'file'), 'x')
  // One that shares its settings through a commondir file.
  put(join(workTree, 'common', '.git', 'HEAD'), 'ref: refs/heads/main\n')
  put(join(workTree, 'common', '.git', 'commondir'), join(workTree, 'elsewhere'))
  put(join(workTree, 'common', 'file'), 'x')
  // The work tree as a bare repository.
  put(join(workTree, 'HEAD'), 'ref: refs/heads/main\n')
  put(join(workTree, 'config'), config('bare'))
  put(join(workTree, 'objects', 'keep'), '')
  put(join(workTree, 'refs', 'keep'), '')
  put(join(workTree, '.GIT', 'config'), config('upper'))
}
