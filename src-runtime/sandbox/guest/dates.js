// The setters of Date. With a part that is no number, the engine's return NaN but leave the date as it was. JavaScript makes
// the date invalid.

import { call, defineProperty } from './primordials.js'

const SETTABLE = ['Milliseconds', 'Seconds', 'Minutes', 'Hours', 'Date', 'Month', 'FullYear']
const { setTime } = Date.prototype

const replaceSetter = (name) => {
  const set = Date.prototype[name]
  // Method shorthand: like the built-ins, it has no prototype and cannot be constructed.
  const value = {
    [name](...parts) {
      const time = call(set, this, parts)
      return time === time ? time : call(setTime, this, [NaN])
    },
  }[name]
  defineProperty(value, 'length', { value: set.length })
  defineProperty(Date.prototype, name, { value, writable: true, enumerable: false, configurable: true })
}

export const installDates = () => {
  for (const part of SETTABLE) {
    replaceSetter(`set${part}`)
    replaceSetter(`setUTC${part}`)
  }
}
