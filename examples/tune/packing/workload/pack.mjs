// node pack.mjs <case> <output>: packs a file as config.json says, and writes it behind a line that says how long that took.
import { readFileSync, writeFileSync } from 'node:fs'
import { pack } from './codec.mjs'

const [, , file, output] = process.argv
const config = JSON.parse(readFileSync(new URL('config.json', import.meta.url), 'utf8'))
const content = readFileSync(file)
const packed = pack(content, config)

// Once is too short to be measured, and the processor's time varies less than the clock's.
const repeats = 40
const before = process.cpuUsage()
for (let repeat = 0; repeat < repeats; repeat++) pack(content, config)
const { user, system } = process.cpuUsage(before)
const head = JSON.stringify({ config, ms: (user + system) / 1000 / repeats })
writeFileSync(output, Buffer.concat([Buffer.from(`${head}\n`), packed]))
