import { platformContract } from 'credence/testing';
import { toyDescriptor } from './toy.js';
import { openToyStage } from './toy-server.js';

platformContract({
  name: 'Toy, from outside the repository',
  descriptor: toyDescriptor,
  open: openToyStage,
  unknownContentId: 't999999999',
  foreignLinks: ['https://toy.example/people/1', 'https://toy.example.com/posts/t1', 'http://127.0.0.1/posts/t1', ''],
});
