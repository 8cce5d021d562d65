/**
 * Loaded before a program (`node --import`): counts the git processes that the program starts itself, and
 * writes the number to the file named by `LOOPWRIGHT_BENCH_COUNT` when the program ends.
 */

import { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'

interface Spawning {
  spawn(this: ChildProcess, options: { readonly file?: string }): unknown
}

const prototype = ChildProcess.prototype as unknown as Spawning
const { spawn } = prototype
let count = 0

prototype.spawn = function countedSpawn(options) {
  if (basename(options.file ?? '') === 'git') count += 1
  return spawn.call(this, options)
}

const file = process.env['LOOPWRIGHT_BENCH_COUNT']
process.on('exit', () => {
  if (file !== undefined) writeFileSync(file, `${count}`)
})
