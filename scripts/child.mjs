// Starts other programs for the scripts in this folder: without a shell, and with their exit code handed back.

import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** A failure whose message is all that the reader needs; it is shown without a stack. */
export class ScriptError extends Error {}

/** The program and first arguments that start npm: the npm that started us, else the one in PATH. */
export function npmCommand() {
  const npmPath = process.env.npm_execpath
  return npmPath && basename(npmPath) === 'npm-cli.js' ? [process.execPath, npmPath] : ['npm']
}

/**
 * Runs a program to its end and returns its exit code. Its output goes to our standard error, so
 * that our standard output stays free for results; when quiet it is shown only after a failure.
 */
export function runToEnd([command, ...args], { quiet = false } = {}) {
  const output = quiet ? 'pipe' : 2
  const child = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', output, output],
    maxBuffer: 64 * 1024 * 1024,
  })
  if (child.error) throw new ScriptError(`${command} could not be started: ${child.error.message}`)
  const code = exitCode(child.status, child.signal)
  if (quiet && code !== 0) {
    process.stderr.write(child.stdout)
    process.stderr.write(child.stderr)
  }
  return code
}

/**
 * Runs a program to its end while we do something else, and resolves with its exit code. Its output is shown only
 * after a failure. It ends with us.
 */
export function runMeanwhile([command, ...args]) {
  return new Promise((settle, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => output.push(chunk))
    }
    const stop = () => child.kill()
    process.on('exit', stop)
    child.on('error', (error) =>
      reject(new ScriptError(`${command} could not be started: ${error.message}`)),
    )
    child.on('close', (status, signal) => {
      process.off('exit', stop)
      const code = exitCode(status, signal)
      settle({ code, output: code === 0 ? '' : Buffer.concat(output) })
    })
  })
}

/**
 * Runs a Node program in our place: with our terminal, and with the signals that are sent to us.
 * (package.json starts these scripts with `exec`: the shell that npm puts between would die of a
 * signal and leave us running.)
 * Its standard output can go to our standard error instead: 2.
 * A terminal sends Ctrl-C to the child itself, so SIGINT is passed on only where there is none.
 * `withAll`: the processes that the program started end with it, unless they left its group.
 */
export function runInOurPlace(args, { stdout = 1, env = process.env, withAll = false } = {}) {
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: [0, stdout, 2],
      env,
      detached: withAll,
    })
    const passOn = (signal) => {
      if (withAll && child.pid !== undefined) process.kill(-child.pid, signal)
      else if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, passOn)
    const finish = (end) => {
      for (const signal of signals) process.off(signal, passOn)
      if (withAll && child.pid !== undefined) endGroup(child.pid)
      end()
    }
    child.on('error', (error) => finish(() => reject(error)))
    child.on('close', (status, signal) => finish(() => settle(exitCode(status, signal))))
  })
}

function endGroup(leader) {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Runs the main function of a script: what it returns is the exit code of the process. */
export async function runScript(main) {
  try {
    process.exitCode = await main()
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    process.stderr.write(`\n${error.message}\n`)
    process.exitCode = 1
  }
}

/** The shell's convention: a program ended by signal n has the code 128 + n. */
function exitCode(status, signal) {
  return status ?? 128 + (constants.signals[signal] ?? 0)
}
