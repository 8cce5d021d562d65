// Makes a checkout ready to run: dependencies as locked, then a build. It needs nothing but Node and
// npm to start, and does nothing the second time but an incremental build. Progress goes to standard
// error, because the scripts that call this may owe their standard output to a result.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmCommand, root, runToEnd, ScriptError } from './child.mjs'

const oldestNode = [20, 19]
const stampFile = join(root, 'node_modules', '.loopwright-setup')

/** Checks Node, installs when the lock file changed, builds. Returns how long the two took. */
export function setUp({ quiet = false } = {}) {
  checkNode()
  const installMs = installDependencies(quiet)
  const buildMs = build(quiet)
  return { installMs, buildMs }
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new ScriptError(
    `Loopwright needs Node ${oldestNode.join('.')} or newer; this is ${process.versions.node}. ` +
      'Install a newer Node, then run the same command again.',
  )
}

/** Returns the time taken, or undefined where what is installed is what the lock file says. */
function installDependencies(quiet) {
  const stamp = stampOfInputs()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return undefined
  const started = performance.now()
  if (!quiet) process.stderr.write('Installing the locked dependencies\n')
  const install = [
    ...npmCommand(),
    'ci',
    // Whatever NODE_ENV or the user's npm settings leave out, the build needs.
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]
  if (runToEnd(install, { quiet }) !== 0) {
    throw new ScriptError(
      'The dependencies could not be installed; npm says why above. Once that is put right, run: npm ci --ignore-scripts',
    )
  }
  writeFileSync(stampFile, stamp)
  return performance.now() - started
}

/** What the installed tree depends on: the lock file, and the platform that native parts are for. */
function stampOfInputs() {
  const lock = join(root, 'package-lock.json')
  if (!existsSync(lock)) {
    throw new ScriptError('package-lock.json is missing. Run: git checkout -- package-lock.json')
  }
  return createHash('sha256')
    .update(readFileSync(lock))
    .update(`\n${process.version} ${process.platform} ${process.arch}`)
    .digest('hex')
}

function build(quiet) {
  const started = performance.now()
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  if (!existsSync(compiler)) {
    throw new ScriptError('The TypeScript compiler is not installed. Run: npm ci --ignore-scripts')
  }
  const page = join(root, 'scripts', 'build-dashboard.mjs')
  const commands = [[compiler, '-b'], [page]]
  if (commands.some((command) => runToEnd([process.execPath, ...command], { quiet }) !== 0)) {
    throw new ScriptError('The build failed; the errors are above. To build again: npm run build')
  }
  return performance.now() - started
}
