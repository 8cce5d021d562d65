// The programs that the tests need from the system, and how they get there. A need that is not met
// fails the tests: a test that is skipped because its program is missing would prove nothing.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runToEnd, ScriptError } from './child.mjs'

/** Add a row here when a test starts another program. */
export const systemNeeds = [
  { command: 'git', aptPackage: 'git', why: 'checkouts and workspaces are git repositories' },
  { command: 'bwrap', aptPackage: 'bubblewrap', why: 'commands of agents run in a sandbox' },
  {
    command: 'tmux',
    aptPackage: 'tmux',
    why: 'what loopctl shows is looked at in a real terminal',
  },
  { command: 'zsh', aptPackage: 'zsh', why: 'its completion script is loaded by zsh itself' },
  {
    command: 'chromium',
    aptPackage: 'chromium',
    why: 'the dashboard is used in a real browser',
  },
  { command: 'fish', aptPackage: 'fish', why: 'its completion script is loaded by fish itself' },
]

/** Sees that every need is met: installs what is missing where it may, else says what to run. */
export function meetSystemNeeds(needs = systemNeeds) {
  const missing = needs.filter((need) => !isInPath(need.command))
  if (missing.length === 0) return
  if (mayInstall()) install(missing)
  const stillMissing = missing.filter((need) => !isInPath(need.command))
  if (stillMissing.length === 0) return
  const reasons = stillMissing.map((need) => `  ${need.command}: ${need.why}`)
  throw new ScriptError(
    [
      'Programs that the tests need are missing:',
      ...reasons,
      `Run: sudo apt-get install -y ${packagesOf(stillMissing).join(' ')}`,
      'On a system without apt-get, install the programs of the same name.',
    ].join('\n'),
  )
}

function mayInstall() {
  return process.getuid?.() === 0 && isInPath('apt-get')
}

/** The package lists of a fresh machine may be empty, so a first failure is answered by an update. */
function install(missing) {
  const names = packagesOf(missing)
  process.stderr.write(`Installing ${names.join(' ')} with apt-get\n`)
  const aptGet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
  const command = [...aptGet, 'install', '-y', '--no-install-recommends', ...names]
  if (runToEnd(command, { quiet: true }) === 0) return
  if (runToEnd([...aptGet, 'update'], { quiet: true }) === 0) runToEnd(command)
}

function packagesOf(needs) {
  return [...new Set(needs.map((need) => need.aptPackage))]
}

function isInPath(command) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => isProgram(join(folder, command)))
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // not there, or not for us: either way it cannot be run
  }
}
