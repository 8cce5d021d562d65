import { expect, test } from 'vitest'
import { parseNetrc } from './netrc.ts'

test('logins are found by host, on one line or several; the first of a host wins; default covers the rest', () => {
  const logins = parseNetrc(`machine a.example login one password p1
machine b.example
  login two
  account x
  password p2
macdef init
machine c.example login bad password bad

machine a.example login later password p3
default login rest password p4
`)
  expect(Object.fromEntries(logins)).toEqual({
    'a.example': { name: 'one', password: 'p1' },
    'b.example': { name: 'two', password: 'p2' },
    '': { name: 'rest', password: 'p4' },
  })
})
