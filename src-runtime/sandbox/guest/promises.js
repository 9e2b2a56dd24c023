// `Promise.any`. The engine's rejects with an error without a message.

import { isObject, own } from './errors.js'
import { aggregatePrototype, call, getPrototypeOf, hasOwn } from './primordials.js'

export const ALL_REJECTED = 'All promises were rejected'

const withMessage = (error) => {
  if (isObject(error) && getPrototypeOf(error) === aggregatePrototype && !hasOwn(error, 'message')) {
    own(error, 'message', ALL_REJECTED)
  }
  return error
}

/** What the engine takes for the class of promises, which gets to the error in time: a callback would see it a job later. */
const capabilityOf = (promiseClass) => {
  function Capability(executor) {
    return new promiseClass((resolve, reject) => executor(resolve, (error) => reject(withMessage(error))))
  }
  own(Capability, 'resolve', (value) => promiseClass.resolve(value))
  return Capability
}

export const installPromises = () => {
  const engineAny = Promise.any
  // Method shorthand: like the built-in, it has no prototype and cannot be constructed.
  const { any } = {
    any(values) {
      return call(engineAny, capabilityOf(this), [values])
    },
  }
  own(Promise, 'any', any)
}
