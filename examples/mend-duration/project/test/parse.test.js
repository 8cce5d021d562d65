import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from '../src/index.js'

describe('parse', () => {
  it('reads one part', () => assert.equal(parse('90s'), 90_000))
  it('reads several parts', () => assert.equal(parse('1h 30m'), 5_400_000))
  it('reads parts without a space', () => assert.equal(parse('2m5s'), 125_000))
  it('reads fractions', () => assert.equal(parse('1.5h'), 5_400_000))
  it('takes a bare number for milliseconds', () => assert.equal(parse(' 250 '), 250))
  it('reads what is before now', () => assert.equal(parse('-2d'), -172_800_000))
  it('does not mind capitals', () => assert.equal(parse('3H'), 10_800_000))
  it('refuses what it does not know', () =>
    assert.throws(() => parse('3 moons'), /no unit "moons"/))
  it('refuses nothing', () => assert.throws(() => parse(' '), /empty/))
})
