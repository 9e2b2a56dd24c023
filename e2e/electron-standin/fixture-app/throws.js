throw new Error('on purpose')
