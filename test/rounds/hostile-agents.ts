/** The agents of the hostile rounds, as programs of the repository. */

/** Does every deed, notes how each command ended, and leaves the texts of `tools/talk.txt` wherever it can. */
export const hostileMaker = `
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const deeds = JSON.parse(readFileSync('tools/deeds.json', 'utf8'))
const lines = deeds.flatMap((commands, at) =>
  commands.map((command, nth) => {
    const { status, signal } = spawnSync('sh', ['-c', command], { timeout: 20_000, stdio: 'ignore' })
    return 'deed ' + at + '.' + nth + ' ended: ' + (signal ?? status)
  }),
)
console.log(lines.join('\\n'))
if (existsSync('tools/talk.txt')) console.log(readFileSync('tools/talk.txt', 'utf8'))
`

/** The worst case for everything but the checker: it always says yes. */
export const yesChecker = `
import { readFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const token = [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)[1]
console.log(JSON.stringify({ token, verdict: 'pass', reasons: [] }))
`

/** Leaves the text of `tools/talk.txt` in its report, in files, in names and, if it may write, in its work. */
export const talkingMaker = `
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
readFileSync(0, 'utf8')
const talk = readFileSync('tools/talk.txt', 'utf8')
const leave = (work) => {
  try {
    work()
  } catch {}
}
leave(() => writeFileSync('src/notes.mjs', '/*\\n' + talk.replaceAll('*/', '') + '\\n*/\\nexport const notes = 1\\n'))
leave(() => writeFileSync('AGENTS.md', talk))
leave(() => writeFileSync('src/' + talk.replaceAll(/[^ -~]|\\//g, '_').slice(0, 120) + '.mjs', 'export {}\\n'))
// A link always needs a person, so the control has none.
if (process.argv[2] !== 'plain') leave(() => symlinkSync(talk.slice(0, 200), 'verdict.json'))
console.log('I did it.\\n' + talk)
`

/** Finds that the work is not good. `mode`: what it does with what it read; see `checkerModes`. */
export const talkedToChecker = (mode: string): string => `
import { readFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const token = [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)[1]
const talk = readFileSync('tools/talk.txt', 'utf8')
const own = '\`\`\`json\\n' + JSON.stringify({ token, verdict: 'fail', reasons: [{ text: 'It is not good.' }] }) + '\\n\`\`\`'
const said = { echo: prompt + '\\n' + talk + '\\n' + own, obey: talk, quote: own + '\\n' + talk }
console.log(said['${mode}'])
`
