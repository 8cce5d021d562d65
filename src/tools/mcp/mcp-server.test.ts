import { expect, test } from 'vitest'
import { describeLocation, type McpServer, serverProblem } from './mcp-server.ts'

const command: McpServer = { command: ['server', '--token', 'secret'] }

test.each(['a', 'files', 'my-server', 'a_b', 'A1'])('%j is a valid server name', (name) => {
  expect(serverProblem(name, command)).toBeUndefined()
})
test.each(['', '1a', '_a', 'a_', 'a__b', 'a b', 'ä', 'a.b', 'x'.repeat(33), '__proto__'])(
  '%j is not a valid server name',
  (name) => {
    expect(serverProblem(name, command)).toMatch(/Rename it/)
  },
)

test.each([
  [{ command: [] }, /"command"/],
  [{ command: [''] }, /no name/],
  [{ command: 'npx server' }, /"command"/],
  [{ command: ['a\0b'] }, /"command"/],
  [{ command: ['a'], url: 'http://x' }, /either/],
  [{}, /either/],
  [null, /either/],
  [{ url: 'localhost' }, /not a URL/],
  [{ url: 'file:///etc/passwd' }, /Only http/],
  [{ url: 'ftp://x/' }, /Only http/],
  [{ url: 'http://user:secret@x/' }, /"headers"/],
  [{ url: 'http://x/', headers: { 'a b': 'secret' } }, /"a b"/],
  [{ url: 'http://x/', headers: { a: 'secret\nb: c' } }, /"a"/],
])('%j is refused with what to do, and without its secrets', (server, message) => {
  const problem = serverProblem('a', server as McpServer)
  expect(problem).toMatch(message)
  expect(problem).not.toContain('secret')
})

test('a location is described without arguments and queries', () => {
  expect(describeLocation(command)).toBe('server')
  expect(describeLocation({ url: 'https://x.example:8/mcp?key=secret#a' })).toBe(
    'https://x.example:8/mcp',
  )
})
