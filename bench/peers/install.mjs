// Installs what the peers need and runs each one once. A peer that does not work is named at the
// end, with a non-zero exit code; the others stay usable.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { here, nodePackage, postgresBin } from './tools.mjs'

const stampFile = join(here, 'node_modules', '.loopwright-peers.json')
const { optionalDependencies: packages } = JSON.parse(read('package.json'))
const lock = createHash('sha256')
  .update(read('package.json') + read('package-lock.json') + nodePackage)
  .digest('hex')

function read(name) {
  return readFileSync(join(here, name), 'utf8')
}

function readStamp() {
  const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {}
  return stamp.lock === lock ? stamp : { lock, complete: false, working: [] }
}

/** Standard output is the caller's to use, so everything said here goes to standard error. */
function command(name, args, options) {
  const { status, error } = spawnSync(name, args, { stdio: ['ignore', 2, 2], ...options })
  return status === 0 ? undefined : `${name} ${args[0]}: ${error?.message ?? `exit ${status}`}`
}

/**
 * All packages are optional, so that one that cannot be had does not take the others with it. But
 * npm leaves out an optional package whose `engines` do not fit the Node npm itself runs on, and
 * takes no order to the contrary. So npm is run on the peers' Node.
 */
function installPackages() {
  const temporary = mkdtempSync(join(tmpdir(), 'loopwright-peers-'))
  try {
    const spec = `${nodePackage}@${packages[nodePackage]}`
    const fetch = ['install', '--prefix', temporary, '--no-save', '--ignore-scripts', spec]
    const [major, minor] = process.versions.node.split('.').map(Number)
    const recent = major > 22 || (major === 22 && minor >= 14)
    const problem = recent ? undefined : command('npm', fetch, { cwd: temporary })
    const path = [join(temporary, 'node_modules', nodePackage, 'bin'), process.env.PATH]
    const env = { ...process.env, PATH: path.join(delimiter) }
    return [problem, command('npm', ['ci'], { cwd: here, env })].filter(Boolean)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function installPostgres() {
  if (postgresBin()) return []
  if (process.platform !== 'linux' || process.getuid() !== 0) {
    return ['PostgreSQL: install the server with your package manager']
  }
  // The run level keeps the package from starting a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  command('apt-get', ['update', '-q'], { env })
  const install = ['install', '-q', '-y', '--no-install-recommends', 'postgresql']
  return [command('apt-get', install, { env })].filter(Boolean)
}

/** Two iterations tell more than the presence of files: native parts and servers included. */
function tryPeer({ name, command: [program, ...args], sync }) {
  const dir = mkdtempSync(join(tmpdir(), 'loopwright-peer-'))
  const flags = ['--iterations', '2', '--sync', sync[0].toLowerCase(), '--dir', dir]
  const run = spawnSync(program, [...args, ...flags], { encoding: 'utf8', timeout: 120_000 })
  rmSync(dir, { recursive: true, force: true })
  if (run.status === 0) return []
  const reason = run.stderr.split('\n').find((line) => /error/i.test(line)) ?? run.signal
  return [`${name}: ${reason ?? `exit ${run.status}`}`]
}

const stamp = readStamp()
const problems = []
if (!stamp.complete) problems.push(...installPackages())
problems.push(...installPostgres())
const installed = (name) => existsSync(join(here, 'node_modules', name, 'package.json'))
const missing = Object.keys(packages).filter((name) => !installed(name))
if (missing.length > 0) problems.push(`packages left out: ${missing.join(', ')}`)

// Only now: the list names the Node that was just installed.
const { peers } = await import('./list.mjs')
const working = []
for (const peer of peers) {
  const failure = stamp.working.includes(peer.name) ? [] : tryPeer(peer)
  problems.push(...failure)
  if (failure.length === 0) working.push(peer.name)
}
if (existsSync(join(here, 'node_modules'))) {
  const complete = missing.length === 0
  writeFileSync(stampFile, JSON.stringify({ lock, complete, working }))
}
console.error(`Peers that work: ${working.join(', ') || 'none'}`)
if (problems.length > 0) {
  console.error(`Could not be installed:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  process.exitCode = 1
}
