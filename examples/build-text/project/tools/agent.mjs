// Stands in for a coding agent: reads a prompt, does the task that it names, and reports. As a reviewer it answers with
// the verdict that the prompt asks for.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'

const prompt = readFileSync(0, 'utf8')
const token = /"token": "([0-9a-f]{32})"/.exec(prompt)?.[1]

const functions = {
  slugify: `/** \`A small Title\` becomes \`a-small-title\`. */
export const slugify = (text) => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-')
`,
  truncate: `/** At most \`length\` characters; a text that is cut ends with an ellipsis. */
export const truncate = (text, length) =>
  text.length <= length ? text : \`\${text.slice(0, length - 1)}…\`
`,
}

function work() {
  const [, task = ''] = /^## Your task .*\n\n(.*)$/m.exec(prompt) ?? []
  const name = Object.keys(functions).find((one) => task.includes(one))
  if (name === undefined) return 'There is nothing to do.'
  writeFileSync(`src/${name}.js`, functions[name])
  const index = readFileSync('src/index.js', 'utf8')
  const line = `export { ${name} } from './${name}.js'\n`
  if (!index.includes(line)) appendFileSync('src/index.js', line)
  return `Wrote ${name}.\n\n## Learnings\n- Every function has its own file, and src/index.js exports it.`
}

const review = () =>
  `\`\`\`json\n${JSON.stringify({ token, verdict: 'pass', reasons: [{ text: 'It is what the spec asks for.' }] })}\n\`\`\``

console.log(token === undefined ? work() : review())
