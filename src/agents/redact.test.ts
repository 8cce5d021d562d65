import { expect, test } from 'vitest'
import { createRedact, isSecretName } from './redact.ts'

test('secrets are masked, longer ones first; short ones are not secrets', () => {
  const redact = createRedact(['sk-012345', 'sk-0123456789', 'a', ''])
  expect(redact('a key sk-0123456789 and sk-012345')).toBe('a key [secret] and [secret]')
})

test.each([
  ['ANTHROPIC_API_KEY', true],
  ['GITHUB_TOKEN', true],
  ['db_password', true],
  ['MODE', false],
])('%s: %s', (name, secret) => {
  expect(isSecretName(name)).toBe(secret)
})
