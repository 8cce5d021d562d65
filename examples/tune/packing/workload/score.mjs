// node score.mjs <output> <case>: three quarters for the size, one quarter for the time. What cannot be unpacked scores nothing.
import { readFileSync } from 'node:fs'
import { unpack } from './codec.mjs'

const [output, original] = process.argv.slice(2).map((file) => readFileSync(file))
const end = output.indexOf(10)
const { config, ms } = JSON.parse(output.subarray(0, end).toString())
const packed = output.subarray(end + 1)
const isSame = unpack(packed, config).equals(original)
const saved = Math.max(0, 1 - packed.length / original.length)
const speed = 1 / (1 + ms / 4)
const score = isSame ? 0.75 * saved + 0.25 * speed : 0
console.log(
  JSON.stringify({
    score,
    pass: score >= 0.7,
    critique: isSame
      ? `saves ${Math.round(100 * saved)} % in ${ms.toFixed(2)} ms`
      : 'what was packed is not what comes out again',
  }),
)
