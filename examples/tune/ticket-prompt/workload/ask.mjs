// node ask.mjs <case> <output>: puts a ticket into the prompt, asks the model behind the gateway, writes what it answers.
import { readFileSync, writeFileSync } from 'node:fs'

const [, , file, output] = process.argv
const template = readFileSync(new URL('prompt.md', import.meta.url), 'utf8')
const content = template.replace('{{ticket}}', () => readFileSync(file, 'utf8').trim())
const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    authorization: `Bearer ${process.env.OPENAI_API_KEY}`,
  },
  body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] }),
})
if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`)
const answer = await response.json()
writeFileSync(output, `${answer.choices[0].message.content}\n`)
